-- one way
DROP TABLE "access_requests" CASCADE;--> statement-breakpoint
DROP TABLE "entitlements" CASCADE;--> statement-breakpoint
DROP TABLE "tv_grants" CASCADE;--> statement-breakpoint
DROP TABLE "username_changes" CASCADE;