CREATE TABLE "access_requests" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"purchase_id" uuid,
	"exchange_name" text NOT NULL,
	"trading_view_username" text NOT NULL,
	"additional_info" text,
	"sealed_keys" text,
	"status" text DEFAULT 'requested' NOT NULL,
	"reason" text,
	"submitted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"decided_by" uuid,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "access_requests_status" CHECK ("access_requests"."status" in ('requested', 'granted', 'refused', 'revoked'))
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"key" text PRIMARY KEY NOT NULL,
	"count" integer NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"actor_id" uuid,
	"actor_email" text NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"detail" jsonb,
	"ip" text DEFAULT '' NOT NULL,
	"search_text" text GENERATED ALWAYS AS (lower(actor_email || ' ' || action || ' ' || subject || ' ' || ip)) STORED NOT NULL
);
--> statement-breakpoint
CREATE TABLE "checkouts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"product_id" uuid NOT NULL,
	"billing_type" text NOT NULL,
	"amount" integer NOT NULL,
	"email" text NOT NULL,
	"user_id" uuid,
	"made_account" boolean,
	"nonce_hash" text NOT NULL,
	"customer_id" text NOT NULL,
	"subscription_id" text NOT NULL,
	"payment_intent_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"synced_at" timestamp (3) with time zone,
	"closed_at" timestamp (3) with time zone,
	"login_used_at" timestamp (3) with time zone,
	CONSTRAINT "checkouts_customerId_unique" UNIQUE("customer_id"),
	CONSTRAINT "checkouts_subscriptionId_unique" UNIQUE("subscription_id"),
	CONSTRAINT "checkouts_paymentIntentId_unique" UNIQUE("payment_intent_id")
);
--> statement-breakpoint
CREATE TABLE "contact_messages" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"email" text NOT NULL,
	"message" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "known_devices" (
	"user_id" uuid NOT NULL,
	"fingerprint" text NOT NULL,
	"first_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "known_devices_user_id_fingerprint_pk" PRIMARY KEY("user_id","fingerprint")
);
--> statement-breakpoint
CREATE TABLE "newsletter_subscriptions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"times_asked" integer DEFAULT 1 NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"unsubscribed_at" timestamp (3) with time zone,
	CONSTRAINT "newsletter_subscriptions_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "password_tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"token_hash" text NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "password_tokens_tokenHash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "purchases" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"product_id" uuid NOT NULL,
	"billing_type" text NOT NULL,
	"amount" integer NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stripe_subscription_id" text,
	"payment_intent_id" text,
	"last_paid_at" timestamp (3) with time zone,
	"current_period_end" timestamp (3) with time zone,
	"ends_at" timestamp (3) with time zone,
	"past_due_since" timestamp (3) with time zone,
	"failed_payments" integer DEFAULT 0 NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"ended_because" text,
	"refunded_amount" integer DEFAULT 0 NOT NULL,
	"is_disputed" boolean DEFAULT false NOT NULL,
	CONSTRAINT "purchases_stripeSubscriptionId_unique" UNIQUE("stripe_subscription_id"),
	CONSTRAINT "purchases_paymentIntentId_unique" UNIQUE("payment_intent_id"),
	CONSTRAINT "purchases_billing_type" CHECK ("purchases"."billing_type" in ('monthly', 'yearly')),
	CONSTRAINT "purchases_status" CHECK ("purchases"."status" in ('active', 'pending_cancel', 'past_due', 'cancelled', 'expired')),
	CONSTRAINT "purchases_amount" CHECK ("purchases"."amount" >= 0 and "purchases"."refunded_amount" >= 0)
);
--> statement-breakpoint
CREATE TABLE "recommended_assets" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"product_id" uuid NOT NULL,
	"ticker" text NOT NULL,
	"note" text,
	"sort_order" integer NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"reviewed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"token_hash" text NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL,
	"ip" text DEFAULT '' NOT NULL,
	CONSTRAINT "sessions_tokenHash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "stripe_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"customer_id" text,
	"payment_intent_id" text,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"handled_at" timestamp (3) with time zone,
	"last_error" text
);
--> statement-breakpoint
CREATE TABLE "stripe_events_pulled" (
	"id" integer PRIMARY KEY NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "subscription_movements" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "subscription_movements_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"month" date NOT NULL,
	"billing_type" text NOT NULL,
	"begun" bigint NOT NULL,
	"begun_amount" bigint NOT NULL,
	"ended" bigint NOT NULL,
	"ended_amount" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password_hash" text,
	"verified_at" timestamp (3) with time zone,
	"is_admin" boolean DEFAULT false NOT NULL,
	"trading_view_username" text,
	"reminded_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"search_text" text GENERATED ALWAYS AS (lower(email) || ' ' || lower(name)) STORED NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_purchase_id_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."purchases"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_decided_by_users_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "known_devices" ADD CONSTRAINT "known_devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "password_tokens" ADD CONSTRAINT "password_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "purchases" ADD CONSTRAINT "purchases_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_requests_to_revoke" ON "access_requests" USING btree ("submitted_at","id") WHERE "access_requests"."status" = 'granted' and "access_requests"."ended_at" is not null;--> statement-breakpoint
CREATE INDEX "access_requests_purchase" ON "access_requests" USING btree ("purchase_id","submitted_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "access_requests_open" ON "access_requests" USING btree ("submitted_at","id") WHERE "access_requests"."status" = 'requested';--> statement-breakpoint
CREATE UNIQUE INDEX "access_requests_one_open" ON "access_requests" USING btree ("purchase_id") WHERE "access_requests"."status" = 'requested';--> statement-breakpoint
CREATE INDEX "access_requests_user" ON "access_requests" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "access_requests_sealed" ON "access_requests" USING btree ("submitted_at") WHERE "access_requests"."sealed_keys" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_newest" ON "audit_log" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_log_search" ON "audit_log" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "checkouts_open" ON "checkouts" USING btree ("created_at") WHERE "checkouts"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "checkouts_nonce" ON "checkouts" USING btree ("nonce_hash");--> statement-breakpoint
CREATE INDEX "checkouts_user" ON "checkouts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "password_tokens_user" ON "password_tokens" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "purchases_user" ON "purchases" USING btree ("user_id","created_at","id","status");--> statement-breakpoint
CREATE INDEX "purchases_newest" ON "purchases" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "purchases_by_status" ON "purchases" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "purchases_by_billing" ON "purchases" USING btree ("billing_type","created_at","id");--> statement-breakpoint
CREATE INDEX "purchases_by_both" ON "purchases" USING btree ("status","billing_type","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "purchases_one_live" ON "purchases" USING btree ("user_id","product_id") WHERE "purchases"."stripe_subscription_id" is not null and "purchases"."status" in ('active', 'pending_cancel', 'past_due');--> statement-breakpoint
CREATE UNIQUE INDEX "recommended_assets_ticker" ON "recommended_assets" USING btree ("product_id","ticker");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "stripe_events_unhandled" ON "stripe_events" USING btree ("received_at") WHERE "stripe_events"."handled_at" is null;--> statement-breakpoint
CREATE INDEX "stripe_events_received" ON "stripe_events" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "users_newest" ON "users" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "users_without_username" ON "users" USING btree ("id") WHERE "users"."trading_view_username" is null;--> statement-breakpoint
CREATE INDEX "users_search" ON "users" USING gin ("search_text" gin_trgm_ops);