-- one way
ALTER TABLE "purchases" RENAME COLUMN "amount" TO "price";--> statement-breakpoint
ALTER TABLE "purchases" DROP COLUMN "failed_payments";--> statement-breakpoint
ALTER TABLE "purchases" VALIDATE CONSTRAINT "purchases_status";
