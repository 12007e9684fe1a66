ALTER TABLE "purchases" ADD COLUMN "leave_reason" text;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "leave_comment" text;