CREATE INDEX CONCURRENTLY "payments_newest" ON "payments" USING btree ("paid_at","payment_intent_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "payments_lost" ON "payments" USING btree ("lost_at","payment_intent_id") WHERE "payments"."lost_at" is not null;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "payments_invoice" ON "payments" USING btree ("invoice_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "payments_number" ON "payments" USING btree ("invoice_number");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "refunds_newest" ON "refunds" USING btree ("at","id");