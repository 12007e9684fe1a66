CREATE INDEX CONCURRENTLY "audit_log_actor" ON "audit_log" USING btree ("actor_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "audit_log_about" ON "audit_log" USING btree ("about_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "sessions_previous_token" ON "sessions" USING btree ("previous_token_hash");