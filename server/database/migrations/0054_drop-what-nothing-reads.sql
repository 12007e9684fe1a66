-- one way
DROP INDEX "audit_log_search";--> statement-breakpoint
DROP FUNCTION "audit_people_by_id"() CASCADE;--> statement-breakpoint
ALTER TABLE "audit_log" DROP COLUMN "search_text";--> statement-breakpoint
ALTER TABLE "audit_log" DROP COLUMN "actor_email";--> statement-breakpoint
ALTER TABLE "tv_connection" DROP COLUMN "warned_people";