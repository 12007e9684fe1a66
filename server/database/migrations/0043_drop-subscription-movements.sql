-- one way
DROP TRIGGER IF EXISTS "purchases_inserted" ON "purchases";--> statement-breakpoint
DROP TRIGGER IF EXISTS "purchases_updated" ON "purchases";--> statement-breakpoint
DROP TRIGGER IF EXISTS "purchases_deleted" ON "purchases";--> statement-breakpoint
DROP FUNCTION IF EXISTS record_subscription_movements();--> statement-breakpoint
DROP FUNCTION IF EXISTS purchase_movements(int, text, int, text, timestamptz, timestamptz);--> statement-breakpoint
DROP FUNCTION IF EXISTS earned(int, text);--> statement-breakpoint
DROP TABLE "subscription_movements" CASCADE;