CREATE INDEX CONCURRENTLY "access_requests_by_status" ON "access_requests" USING btree ("status","submitted_at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "access_requests_names" ON "access_requests" USING gin (lower("trading_view_username") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX CONCURRENTLY "contact_messages_newest" ON "contact_messages" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "contact_messages_open" ON "contact_messages" USING btree ("created_at","id") WHERE "contact_messages"."answered_at" is null;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "contact_messages_user" ON "contact_messages" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "contact_messages_email" ON "contact_messages" USING btree ("email");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "newsletter_newest" ON "newsletter_subscriptions" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "newsletter_search" ON "newsletter_subscriptions" USING gin ("email" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX CONCURRENTLY "purchases_booked_ends" ON "purchases" USING btree ("ends_at") WHERE "purchases"."stripe_subscription_id" is null and "purchases"."ends_at" is not null;