ALTER TABLE "purchases" ADD COLUMN "uncovered_notes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "draft_since" timestamp (3) with time zone;