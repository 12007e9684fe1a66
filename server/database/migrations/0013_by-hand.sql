ALTER TABLE "contact_messages" ADD COLUMN "user_id" uuid;--> statement-breakpoint
ALTER TABLE "contact_messages" ADD COLUMN "answered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "contact_messages" ADD COLUMN "answer" text;--> statement-breakpoint
ALTER TABLE "contact_messages" ADD COLUMN "answered_by" uuid;--> statement-breakpoint
ALTER TABLE "entitlements" ADD COLUMN "withheld_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "booked_as" text;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "booked_because" text;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "booked_until" timestamp (3) with time zone;