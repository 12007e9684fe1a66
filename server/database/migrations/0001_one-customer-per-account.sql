ALTER TABLE "checkouts" DROP CONSTRAINT "checkouts_customerId_unique";--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "dunning_step" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "stripe_events" ADD COLUMN "subscription_id" text;