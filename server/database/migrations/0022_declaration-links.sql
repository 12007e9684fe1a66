ALTER TABLE "declarations" ADD COLUMN "link_ends_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "declarations" ADD COLUMN "seller_told_at" timestamp (3) with time zone;