ALTER TABLE "purchases" ADD COLUMN "awaits_bank" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "failed_refunds" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "refunded_elsewhere" integer DEFAULT 0 NOT NULL;