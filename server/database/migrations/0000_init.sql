CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE TABLE "access" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"product_id" uuid NOT NULL,
	"reason" text,
	"until" timestamp (3) with time zone,
	"username" text,
	"name_key" text,
	"name_problem" text,
	"similar" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"name_checked_at" timestamp (3) with time zone,
	"state" text DEFAULT 'none' NOT NULL,
	"state_since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"asked_at" timestamp (3) with time zone,
	"decided_by" uuid,
	"declined_because" text,
	"end_requested_at" timestamp (3) with time zone,
	"needs_decision" boolean DEFAULT false NOT NULL,
	"undo_until" timestamp (3) with time zone,
	"undo_to" jsonb,
	"unlocked_name" text,
	"todo" text,
	"todo_since" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"version" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "access_state" CHECK ("access"."state" in ('none', 'asked', 'unlocking', 'unlocked', 'locked', 'declined', 'withheld')),
	CONSTRAINT "access_name_problem" CHECK ("access"."name_problem" in ('unreadable', 'taken', 'not_found'))
);
--> statement-breakpoint
CREATE TABLE "access_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "access_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" uuid NOT NULL,
	"product_id" uuid NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"event" text NOT NULL,
	"from_state" text NOT NULL,
	"to_state" text NOT NULL,
	"username" text,
	"reason" text,
	"by_admin" uuid,
	"mail" text,
	CONSTRAINT "access_events_event" CHECK ("access_events"."event" in ('paid', 'ended', 'named', 'renamed', 'asked', 'connector_on', 'connector_off', 'granted', 'undone', 'declined', 'withheld', 'restored', 'opened', 'closed'))
);
--> statement-breakpoint
CREATE TABLE "access_forms" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"purchase_id" uuid,
	"exchange_name" text NOT NULL,
	"trading_view_username" text NOT NULL,
	"additional_info" text,
	"sealed_keys" text,
	"submitted_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "email_changes" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"old_email" text NOT NULL,
	"new_email" text NOT NULL,
	"requested_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"confirmed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "password_tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"token_hash" text NOT NULL,
	"purpose" text DEFAULT 'password' NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "password_tokens_tokenHash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password_hash" text,
	"verified_at" timestamp (3) with time zone,
	"handed_over_at" timestamp (3) with time zone,
	"is_admin" boolean DEFAULT false NOT NULL,
	"role" text,
	"trading_view_username" text,
	"reminded_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"search_text" text GENERATED ALWAYS AS (' ' || lower(email || ' ' || name || ' ' || coalesce(trading_view_username, ''))) STORED NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email"),
	CONSTRAINT "users_email_lower_case" CHECK ("users"."email" = lower("users"."email"))
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
CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"actor_id" uuid,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"about_id" uuid,
	"detail" jsonb,
	"ip" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "balance_reads" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"read_at" timestamp (3) with time zone,
	"fault" text
);
--> statement-breakpoint
CREATE TABLE "balance_transactions" (
	"id" text PRIMARY KEY NOT NULL,
	"category" text NOT NULL,
	"description" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"available_at" timestamp (3) with time zone NOT NULL,
	"amount" integer NOT NULL,
	"fee" integer NOT NULL,
	"net" integer NOT NULL,
	"currency" text NOT NULL,
	"exchange_rate" double precision,
	"payment_intent_id" text,
	"refund_id" text,
	"payout_id" text
);
--> statement-breakpoint
CREATE TABLE "payouts" (
	"id" text PRIMARY KEY NOT NULL,
	"amount" integer NOT NULL,
	"currency" text NOT NULL,
	"status" text NOT NULL,
	"is_automatic" boolean NOT NULL,
	"is_itemized" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"arrives_at" timestamp (3) with time zone NOT NULL,
	"failure" text
);
--> statement-breakpoint
CREATE TABLE "products" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "products_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "billing_details" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"company" text NOT NULL,
	"street" text NOT NULL,
	"postal_code" text NOT NULL,
	"city" text NOT NULL,
	"country" text NOT NULL,
	"vat_id" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "code_uses" (
	"checkout_id" uuid PRIMARY KEY NOT NULL,
	"code_id" uuid NOT NULL,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "discount_codes" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"code" text NOT NULL,
	"percent_off" integer,
	"amount_off" integer,
	"months" integer,
	"product_id" uuid,
	"billing_type" text,
	"starts_at" timestamp (3) with time zone,
	"ends_at" timestamp (3) with time zone,
	"max_uses" integer,
	"new_only" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stopped_at" timestamp (3) with time zone,
	CONSTRAINT "discount_codes_code_unique" UNIQUE("code"),
	CONSTRAINT "discount_codes_worth" CHECK (num_nonnulls("discount_codes"."percent_off", "discount_codes"."amount_off") = 1)
);
--> statement-breakpoint
CREATE TABLE "contact_messages" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"email" text NOT NULL,
	"message" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"user_id" uuid,
	"answered_at" timestamp (3) with time zone,
	"answer" text,
	"answered_by" uuid
);
--> statement-breakpoint
CREATE TABLE "customer_notes" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"author_id" uuid NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "declarations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"name" text NOT NULL,
	"contract" text NOT NULL,
	"email" text NOT NULL,
	"for_cause" boolean DEFAULT false NOT NULL,
	"reason" text,
	"ends_on" date,
	"declared_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"network_hash" text NOT NULL,
	"user_id" uuid,
	"purchase_id" uuid,
	"link_ends_at" timestamp (3) with time zone,
	"seller_told_at" timestamp (3) with time zone,
	"handled_at" timestamp (3) with time zone,
	"outcome" text,
	CONSTRAINT "declarations_kind" CHECK ("declarations"."kind" in ('withdrawal', 'cancellation')),
	CONSTRAINT "declarations_state" CHECK ("declarations"."state" in ('open', 'confirmed', 'done'))
);
--> statement-breakpoint
CREATE TABLE "disputes" (
	"id" text PRIMARY KEY NOT NULL,
	"payment_intent_id" text NOT NULL,
	"reason" text NOT NULL,
	"status" text NOT NULL,
	"amount" integer NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone,
	"answer" jsonb,
	"saved_at" timestamp (3) with time zone,
	"submitted_at" timestamp (3) with time zone,
	"fault" text
);
--> statement-breakpoint
CREATE TABLE "app_codes" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"sealed_secret" text NOT NULL,
	"last_step" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "factor_resets" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"requested_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"used_at" timestamp (3) with time zone,
	"stopped_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"is_synced" boolean NOT NULL,
	"aaguid" text NOT NULL,
	"host" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "recovery_codes_user_id_hash_pk" PRIMARY KEY("user_id","hash")
);
--> statement-breakpoint
CREATE TABLE "credit_notes" (
	"id" text PRIMARY KEY NOT NULL,
	"invoice_id" text NOT NULL,
	"number" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"total" integer NOT NULL,
	"tax" integer NOT NULL,
	"refunded" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invoices" (
	"id" text PRIMARY KEY NOT NULL,
	"purchase_id" uuid,
	"user_id" uuid NOT NULL,
	"subscription_id" text NOT NULL,
	"number" text,
	"status" text NOT NULL,
	"reason" text,
	"collection" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"finalized_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"paid_at" timestamp (3) with time zone,
	"closed_at" timestamp (3) with time zone,
	"total" integer NOT NULL,
	"tax" integer NOT NULL,
	"amount_paid" integer NOT NULL,
	"amount_remaining" integer NOT NULL,
	"paid_out_of_band" integer NOT NULL,
	"period_start" timestamp (3) with time zone,
	"period_end" timestamp (3) with time zone,
	"is_proration" boolean NOT NULL,
	"credit" integer NOT NULL,
	"period_net" integer NOT NULL,
	"country" text,
	"region" text,
	"tax_rate" double precision,
	"former_account" text
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"payment_intent_id" text PRIMARY KEY NOT NULL,
	"purchase_id" uuid,
	"invoice_id" text NOT NULL,
	"paid_at" timestamp (3) with time zone NOT NULL,
	"amount" integer NOT NULL,
	"tax" integer NOT NULL,
	"invoice_number" text,
	"period_start" timestamp (3) with time zone,
	"period_end" timestamp (3) with time zone,
	"country" text,
	"lost_at" timestamp (3) with time zone,
	"lost_amount" integer DEFAULT 0 NOT NULL,
	"is_refund_blocked" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refunds" (
	"id" text PRIMARY KEY NOT NULL,
	"payment_intent_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"amount" integer NOT NULL,
	"tax" integer DEFAULT 0 NOT NULL,
	"status" text NOT NULL,
	"keeps_access" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mrr_movements" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mrr_movements_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"purchase_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"product_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"month" date GENERATED ALWAYS AS (date_trunc('month', at at time zone 'UTC')::date) STORED NOT NULL,
	"day_of_month" smallint GENERATED ALWAYS AS (extract(day from at at time zone 'UTC')::smallint) STORED NOT NULL,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	"source" text NOT NULL,
	"revision" integer NOT NULL,
	"kind" text NOT NULL,
	"cause" text NOT NULL,
	"billing_type" text,
	"arr_before" integer NOT NULL,
	"arr_after" integer NOT NULL,
	"people" integer NOT NULL,
	"corrects" bigint,
	CONSTRAINT "mrr_movements_corrects_unique" UNIQUE("corrects"),
	CONSTRAINT "mrr_movements_kinds" CHECK ("mrr_movements"."kind" in ('new', 'reactivation', 'expansion', 'contraction', 'churn')),
	CONSTRAINT "mrr_movements_causes" CHECK ("mrr_movements"."cause" in ('bought', 'resume', 'plan', 'price', 'quantity', 'discount', 'tax', 'pause', 'cancelled', 'unpaid', 'refunded', 'disputed', 'gone', 'duplicate', 'code_used_up', 'code_new_only', 'expired', 'deleted'))
);
--> statement-breakpoint
CREATE TABLE "mrr_proofs" (
	"at" timestamp (3) with time zone PRIMARY KEY NOT NULL,
	"compared" integer NOT NULL,
	"at_stripe" bigint NOT NULL,
	"here" bigint NOT NULL,
	"elsewhere" bigint NOT NULL,
	"differing" integer NOT NULL,
	"unreadable" integer DEFAULT 0 NOT NULL,
	"unknown" integer DEFAULT 0 NOT NULL,
	"explained" jsonb NOT NULL,
	"differences" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sent_mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"data" jsonb NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"sent_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mail_suppressions" (
	"email" text PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"because" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"reply" text
);
--> statement-breakpoint
CREATE TABLE "newsletter_recipients" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"newsletter_id" uuid NOT NULL,
	"email" text,
	"why" text NOT NULL,
	"unsubscribe_id" uuid,
	"state" text DEFAULT 'waiting' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"retry_at" timestamp (3) with time zone,
	"done_at" timestamp (3) with time zone,
	"reply" text,
	"left_at" timestamp (3) with time zone,
	CONSTRAINT "newsletter_recipients_state" CHECK ("newsletter_recipients"."state" in ('waiting', 'handed_over', 'sent', 'refused', 'uncertain'))
);
--> statement-breakpoint
CREATE TABLE "newsletter_subscriptions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"requested_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"times_asked" integer DEFAULT 1 NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"unsubscribed_at" timestamp (3) with time zone,
	"consent_version" text,
	"requested_on" text,
	"requested_from" text,
	"confirmed_from" text,
	CONSTRAINT "newsletter_subscriptions_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "newsletters" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"subject" text NOT NULL,
	"preheader" text NOT NULL,
	"markdown" text NOT NULL,
	"to_subscribers" boolean NOT NULL,
	"buyers_of" uuid,
	"state" text DEFAULT 'draft' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"updated_by" uuid NOT NULL,
	"scheduled_for" timestamp (3) with time zone,
	"approved_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"paused_because" text,
	"last_error" text,
	CONSTRAINT "newsletters_state" CHECK ("newsletters"."state" in ('draft', 'scheduled', 'sending', 'paused', 'stopped', 'sent'))
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"product_id" uuid NOT NULL,
	"billing_type" text NOT NULL,
	"amount" integer NOT NULL,
	"amount_due" integer,
	"code_id" uuid,
	"email" text NOT NULL,
	"user_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"terms_version" text,
	"agreed_at" timestamp (3) with time zone,
	"ip" text,
	"country" text,
	"postal_code" text,
	"card_country" text,
	"vat_id" text,
	"news_version" text,
	"news_objected_at" timestamp (3) with time zone,
	"trading_view_username" text,
	"closed_at" timestamp (3) with time zone,
	"customer_id" text NOT NULL,
	"subscription_id" text NOT NULL,
	"payment_intent_id" text,
	"made_account" boolean,
	"nonce_hash" text,
	"login_used_at" timestamp (3) with time zone,
	"version" integer DEFAULT 0 NOT NULL,
	"synced_at" timestamp (3) with time zone,
	"invoice_footer" text,
	CONSTRAINT "orders_paymentIntentId_unique" UNIQUE("payment_intent_id"),
	CONSTRAINT "orders_kind" CHECK ("orders"."kind" in ('new', 'switch'))
);
--> statement-breakpoint
CREATE TABLE "payment_account" (
	"id" integer PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"account_id" text,
	"key_fingerprints" text[] NOT NULL,
	"bound_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_account_kind" CHECK ("payment_account"."kind" in ('sandbox', 'test', 'live'))
);
--> statement-breakpoint
CREATE TABLE "prices" (
	"product_id" uuid NOT NULL,
	"billing_type" text NOT NULL,
	"number" integer NOT NULL,
	"amount" integer NOT NULL,
	"regular_amount" integer,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"published_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stripe_price_id" text,
	CONSTRAINT "prices_product_id_billing_type_number_pk" PRIMARY KEY("product_id","billing_type","number")
);
--> statement-breakpoint
CREATE TABLE "purchases" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"product_id" uuid NOT NULL,
	"billing_type" text NOT NULL,
	"other_interval" text,
	"price" integer NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stripe_subscription_id" text,
	"paid_through" text GENERATED ALWAYS AS (case when stripe_subscription_id is null then 'hand' else 'stripe' end) STORED NOT NULL,
	"is_ongoing" boolean GENERATED ALWAYS AS (status = 'paused' or (status in ('active', 'pending_cancel', 'past_due') and (stripe_subscription_id is not null or ends_at is null))) STORED NOT NULL,
	"payment_intent_id" text,
	"last_paid_at" timestamp (3) with time zone,
	"current_period_end" timestamp (3) with time zone,
	"ends_at" timestamp (3) with time zone,
	"past_due_since" timestamp (3) with time zone,
	"dunning_step" integer DEFAULT 0 NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"ended_because" text,
	"refunded_amount" integer DEFAULT 0 NOT NULL,
	"rest_refund" integer,
	"is_disputed" boolean DEFAULT false NOT NULL,
	"disputed_amount" integer DEFAULT 0 NOT NULL,
	"lost_amount" integer DEFAULT 0 NOT NULL,
	"lost_and_kept" integer DEFAULT 0 NOT NULL,
	"booked_as" text,
	"booked_because" text,
	"booked_until" timestamp (3) with time zone,
	"dispute_due_at" timestamp (3) with time zone,
	"disputed_at" timestamp (3) with time zone,
	"warned_payment_intent_id" text,
	"last_paid_amount" integer,
	"next_amount" integer,
	"later_amount" integer,
	"later_at" timestamp (3) with time zone,
	"due_amount" integer,
	"first_paid_at" timestamp (3) with time zone,
	"ordered_at" timestamp (3) with time zone,
	"paid_from" timestamp (3) with time zone,
	"paid_until" timestamp (3) with time zone,
	"given_until" timestamp (3) with time zone,
	"paused_at" timestamp (3) with time zone,
	"is_collection_paused" boolean DEFAULT false NOT NULL,
	"collection_resumes_at" timestamp (3) with time zone,
	"tax_is_off" boolean DEFAULT false NOT NULL,
	"awaits_bank" boolean DEFAULT false NOT NULL,
	"card_refusal" text,
	"failed_refunds" integer DEFAULT 0 NOT NULL,
	"refunded_elsewhere" integer DEFAULT 0 NOT NULL,
	"uncovered_notes" integer DEFAULT 0 NOT NULL,
	"draft_since" timestamp (3) with time zone,
	"missing_since" timestamp (3) with time zone,
	"former_account" text,
	"arr" integer DEFAULT 0 NOT NULL,
	"card" text,
	"card_expires_at" timestamp (3) with time zone,
	"card_saved_at" timestamp (3) with time zone,
	"leave_reason" text,
	"leave_comment" text,
	CONSTRAINT "purchases_stripeSubscriptionId_unique" UNIQUE("stripe_subscription_id"),
	CONSTRAINT "purchases_paymentIntentId_unique" UNIQUE("payment_intent_id"),
	CONSTRAINT "purchases_status" CHECK ("purchases"."status" in ('active', 'pending_cancel', 'past_due', 'paused', 'cancelled', 'expired')),
	CONSTRAINT "purchases_amount" CHECK ("purchases"."price" >= 0 and "purchases"."refunded_amount" >= 0)
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"product_id" uuid NOT NULL,
	"invited_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stars" integer,
	"text" text,
	"author" text,
	"written_at" timestamp (3) with time zone,
	"shows_paying_since" boolean DEFAULT false NOT NULL,
	"answer" text,
	"answered_at" timestamp (3) with time zone,
	"report" text,
	"reported_at" timestamp (3) with time zone,
	"hidden_because" text,
	CONSTRAINT "reviews_stars" CHECK ("reviews"."stars" between 1 and 5)
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"key" text PRIMARY KEY NOT NULL,
	"count" integer NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_messages" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"product_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"subject" text NOT NULL,
	"markdown" text NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"sent_by" uuid NOT NULL,
	"recipients" integer NOT NULL,
	CONSTRAINT "service_messages_reason" CHECK ("service_messages"."reason" in ('outage', 'security', 'new_version', 'changed_terms'))
);
--> statement-breakpoint
CREATE TABLE "known_devices" (
	"user_id" uuid NOT NULL,
	"fingerprint" text NOT NULL,
	"first_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "known_devices_user_id_fingerprint_pk" PRIMARY KEY("user_id","fingerprint")
);
--> statement-breakpoint
CREATE TABLE "logins" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"user_agent" text NOT NULL,
	"ip" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"token_hash" text NOT NULL,
	"previous_token_hash" text,
	"rotated_at" timestamp (3) with time zone,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"proven_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"proof_used_at" timestamp (3) with time zone,
	"proven_by" text DEFAULT 'password' NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL,
	"ip" text DEFAULT '' NOT NULL,
	CONSTRAINT "sessions_tokenHash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "shop_settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stripe_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"subscription_id" text,
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
CREATE TABLE "terms_texts" (
	"version" text PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"sections" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tv_connection" (
	"id" integer PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"mode" text NOT NULL,
	"host" text NOT NULL,
	"account_name" text,
	"sealed_cookies" text,
	"risks_accepted_at" timestamp (3) with time zone,
	"risks_accepted_by" uuid,
	"checked_at" timestamp (3) with time zone,
	"ok_at" timestamp (3) with time zone,
	"down_since" timestamp (3) with time zone,
	"last_error" text,
	"unreadable_answers" integer DEFAULT 0 NOT NULL,
	"freezes_access_during_dispute" boolean DEFAULT true NOT NULL,
	"blocked_removals" integer,
	"may_remove_until" timestamp (3) with time zone,
	"next_call_at" timestamp (3) with time zone,
	CONSTRAINT "tv_connection_state" CHECK ("tv_connection"."state" in ('off', 'on', 'paused', 'expired', 'blocked')),
	CONSTRAINT "tv_connection_mode" CHECK ("tv_connection"."mode" in ('dry', 'grant', 'full'))
);
--> statement-breakpoint
CREATE TABLE "tv_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tv_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"pine_id" text,
	"username_key" text,
	"call" text NOT NULL,
	"outcome" text NOT NULL,
	"http" integer,
	"milliseconds" integer NOT NULL,
	"excerpt" text
);
--> statement-breakpoint
CREATE TABLE "tv_people" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"script_id" uuid NOT NULL,
	"username_key" text NOT NULL,
	"username" text NOT NULL,
	"user_id" uuid,
	"is_ours" boolean DEFAULT false NOT NULL,
	"is_present" boolean,
	"present_until" timestamp (3) with time zone,
	"observed_at" timestamp (3) with time zone,
	"list_entry_id" text,
	"tries" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"next_try_at" timestamp (3) with time zone,
	"error" text,
	"first_present_at" timestamp (3) with time zone,
	"version" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tv_runs" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"script_id" uuid NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"pages" integer DEFAULT 0 NOT NULL,
	"is_complete" boolean DEFAULT false NOT NULL,
	"people" integer DEFAULT 0 NOT NULL,
	"missing" integer DEFAULT 0 NOT NULL,
	"wrong" integer DEFAULT 0 NOT NULL,
	"ended" integer DEFAULT 0 NOT NULL,
	"foreign" integer DEFAULT 0 NOT NULL,
	"blocked_removals" integer DEFAULT 0 NOT NULL,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "tv_scripts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"product_id" uuid NOT NULL,
	"pine_id" text NOT NULL,
	"name" text NOT NULL,
	"problem" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tv_scripts_pineId_unique" UNIQUE("pine_id")
);
--> statement-breakpoint
ALTER TABLE "access" ADD CONSTRAINT "access_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access" ADD CONSTRAINT "access_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access" ADD CONSTRAINT "access_decided_by_users_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_events" ADD CONSTRAINT "access_events_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_events" ADD CONSTRAINT "access_events_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_events" ADD CONSTRAINT "access_events_by_admin_users_id_fk" FOREIGN KEY ("by_admin") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_forms" ADD CONSTRAINT "access_forms_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_forms" ADD CONSTRAINT "access_forms_purchase_id_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."purchases"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_changes" ADD CONSTRAINT "email_changes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "password_tokens" ADD CONSTRAINT "password_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recommended_assets" ADD CONSTRAINT "recommended_assets_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "balance_transactions" ADD CONSTRAINT "balance_transactions_payout_id_payouts_id_fk" FOREIGN KEY ("payout_id") REFERENCES "public"."payouts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_details" ADD CONSTRAINT "billing_details_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "code_uses" ADD CONSTRAINT "code_uses_code_id_discount_codes_id_fk" FOREIGN KEY ("code_id") REFERENCES "public"."discount_codes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discount_codes" ADD CONSTRAINT "discount_codes_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customer_notes" ADD CONSTRAINT "customer_notes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customer_notes" ADD CONSTRAINT "customer_notes_author_id_users_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "declarations" ADD CONSTRAINT "declarations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "declarations" ADD CONSTRAINT "declarations_purchase_id_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."purchases"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "disputes" ADD CONSTRAINT "disputes_payment_intent_id_payments_payment_intent_id_fk" FOREIGN KEY ("payment_intent_id") REFERENCES "public"."payments"("payment_intent_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "app_codes" ADD CONSTRAINT "app_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "factor_resets" ADD CONSTRAINT "factor_resets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_notes" ADD CONSTRAINT "credit_notes_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_purchase_id_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."purchases"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_invoice_id_invoices_id_fk" FOREIGN KEY ("invoice_id") REFERENCES "public"."invoices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_payment_intent_id_payments_payment_intent_id_fk" FOREIGN KEY ("payment_intent_id") REFERENCES "public"."payments"("payment_intent_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sent_mails" ADD CONSTRAINT "sent_mails_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_suppressions" ADD CONSTRAINT "mail_suppressions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "newsletter_recipients" ADD CONSTRAINT "newsletter_recipients_newsletter_id_newsletters_id_fk" FOREIGN KEY ("newsletter_id") REFERENCES "public"."newsletters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "newsletters" ADD CONSTRAINT "newsletters_updated_by_users_id_fk" FOREIGN KEY ("updated_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_code_id_discount_codes_id_fk" FOREIGN KEY ("code_id") REFERENCES "public"."discount_codes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prices" ADD CONSTRAINT "prices_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "purchases" ADD CONSTRAINT "purchases_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "purchases" ADD CONSTRAINT "purchases_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_messages" ADD CONSTRAINT "service_messages_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_messages" ADD CONSTRAINT "service_messages_sent_by_users_id_fk" FOREIGN KEY ("sent_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "known_devices" ADD CONSTRAINT "known_devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "logins" ADD CONSTRAINT "logins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tv_connection" ADD CONSTRAINT "tv_connection_risks_accepted_by_users_id_fk" FOREIGN KEY ("risks_accepted_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tv_people" ADD CONSTRAINT "tv_people_script_id_tv_scripts_id_fk" FOREIGN KEY ("script_id") REFERENCES "public"."tv_scripts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tv_people" ADD CONSTRAINT "tv_people_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tv_runs" ADD CONSTRAINT "tv_runs_script_id_tv_scripts_id_fk" FOREIGN KEY ("script_id") REFERENCES "public"."tv_scripts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tv_scripts" ADD CONSTRAINT "tv_scripts_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "access_one" ON "access" USING btree ("user_id","product_id");--> statement-breakpoint
CREATE UNIQUE INDEX "access_name" ON "access" USING btree ("product_id","name_key");--> statement-breakpoint
CREATE INDEX "access_by_state" ON "access" USING btree ("state","state_since","id");--> statement-breakpoint
CREATE INDEX "access_undo" ON "access" USING btree ("undo_until") WHERE "access"."undo_until" is not null;--> statement-breakpoint
CREATE INDEX "access_open" ON "access" USING btree ("user_id") WHERE ("access"."state" in ('asked', 'unlocking') or "access"."name_problem" is not null or ("access"."unlocked_name" is not null and ("access"."state" = 'withheld' or "access"."reason" is null)));--> statement-breakpoint
CREATE INDEX "access_awaits_connector" ON "access" USING btree ("id") WHERE ("access"."state" in ('none', 'locked', 'asked') and "access"."reason" is not null and "access"."name_key" is not null and not "access"."needs_decision");--> statement-breakpoint
CREATE INDEX "access_todo" ON "access" USING btree ("todo_since","id") WHERE "access"."todo" is not null;--> statement-breakpoint
CREATE INDEX "access_newest" ON "access" USING btree ("state_since","id");--> statement-breakpoint
CREATE INDEX "access_unlocked_name" ON "access" USING btree (lower("unlocked_name"));--> statement-breakpoint
CREATE INDEX "access_events_user" ON "access_events" USING btree ("user_id","at");--> statement-breakpoint
CREATE INDEX "access_forms_user" ON "access_forms" USING btree ("user_id","submitted_at");--> statement-breakpoint
CREATE INDEX "access_forms_purchase" ON "access_forms" USING btree ("purchase_id");--> statement-breakpoint
CREATE INDEX "access_forms_newest" ON "access_forms" USING btree ("submitted_at","id");--> statement-breakpoint
CREATE INDEX "access_forms_sealed" ON "access_forms" USING btree ("submitted_at") WHERE "access_forms"."sealed_keys" is not null;--> statement-breakpoint
CREATE INDEX "email_changes_user" ON "email_changes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "password_tokens_user" ON "password_tokens" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "users_newest" ON "users" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "users_without_username" ON "users" USING btree ("id") WHERE "users"."trading_view_username" is null;--> statement-breakpoint
CREATE INDEX "users_search" ON "users" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "recommended_assets_ticker" ON "recommended_assets" USING btree ("product_id","ticker");--> statement-breakpoint
CREATE INDEX "audit_log_newest" ON "audit_log" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("actor_id");--> statement-breakpoint
CREATE INDEX "audit_log_about" ON "audit_log" USING btree ("about_id");--> statement-breakpoint
CREATE INDEX "audit_log_words" ON "audit_log" USING gin (lower("action" || ' ' || "subject" || ' ' || "ip") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "balance_transactions_newest" ON "balance_transactions" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "balance_transactions_payment" ON "balance_transactions" USING btree ("payment_intent_id","created_at");--> statement-breakpoint
CREATE INDEX "balance_transactions_payout" ON "balance_transactions" USING btree ("payout_id");--> statement-breakpoint
CREATE INDEX "payouts_newest" ON "payouts" USING btree ("arrives_at","id");--> statement-breakpoint
CREATE INDEX "code_uses_code" ON "code_uses" USING btree ("code_id");--> statement-breakpoint
CREATE INDEX "contact_messages_newest" ON "contact_messages" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "contact_messages_open" ON "contact_messages" USING btree ("created_at","id") WHERE "contact_messages"."answered_at" is null;--> statement-breakpoint
CREATE INDEX "contact_messages_user" ON "contact_messages" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "contact_messages_email" ON "contact_messages" USING btree ("email");--> statement-breakpoint
CREATE INDEX "customer_notes_user" ON "customer_notes" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "customer_notes_author" ON "customer_notes" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "declarations_newest" ON "declarations" USING btree ("declared_at","id");--> statement-breakpoint
CREATE INDEX "declarations_confirmed" ON "declarations" USING btree ("id") WHERE "declarations"."state" = 'confirmed';--> statement-breakpoint
CREATE INDEX "declarations_user" ON "declarations" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "disputes_payment" ON "disputes" USING btree ("payment_intent_id");--> statement-breakpoint
CREATE INDEX "factor_resets_user" ON "factor_resets" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "passkeys_user" ON "passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "credit_notes_invoice" ON "credit_notes" USING btree ("invoice_id");--> statement-breakpoint
CREATE INDEX "invoices_purchase" ON "invoices" USING btree ("purchase_id","created_at");--> statement-breakpoint
CREATE INDEX "invoices_subscription" ON "invoices" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "invoices_user" ON "invoices" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "invoices_number" ON "invoices" USING btree ("number");--> statement-breakpoint
CREATE INDEX "payments_purchase" ON "payments" USING btree ("purchase_id");--> statement-breakpoint
CREATE INDEX "payments_newest" ON "payments" USING btree ("paid_at","payment_intent_id");--> statement-breakpoint
CREATE INDEX "payments_lost" ON "payments" USING btree ("lost_at","payment_intent_id") WHERE "payments"."lost_at" is not null;--> statement-breakpoint
CREATE INDEX "payments_invoice" ON "payments" USING btree ("invoice_id");--> statement-breakpoint
CREATE INDEX "payments_number" ON "payments" USING btree ("invoice_number");--> statement-breakpoint
CREATE INDEX "refunds_payment" ON "refunds" USING btree ("payment_intent_id");--> statement-breakpoint
CREATE INDEX "refunds_newest" ON "refunds" USING btree ("at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "mrr_movements_source" ON "mrr_movements" USING btree ("purchase_id","source","revision");--> statement-breakpoint
CREATE INDEX "mrr_movements_at" ON "mrr_movements" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "mrr_movements_kind" ON "mrr_movements" USING btree ("kind","at","id");--> statement-breakpoint
CREATE INDEX "mrr_movements_user" ON "mrr_movements" USING btree ("user_id","at");--> statement-breakpoint
CREATE INDEX "mrr_movements_people" ON "mrr_movements" USING btree ("month","user_id","day_of_month","people") WHERE "mrr_movements"."people" <> 0;--> statement-breakpoint
CREATE INDEX "sent_mails_user" ON "sent_mails" USING btree ("user_id","sent_at");--> statement-breakpoint
CREATE INDEX "sent_mails_sent" ON "sent_mails" USING btree ("sent_at");--> statement-breakpoint
CREATE INDEX "mail_suppressions_user" ON "mail_suppressions" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "newsletter_recipients_once" ON "newsletter_recipients" USING btree ("newsletter_id","email");--> statement-breakpoint
CREATE INDEX "newsletter_recipients_state" ON "newsletter_recipients" USING btree ("newsletter_id","state");--> statement-breakpoint
CREATE INDEX "newsletter_recipients_email" ON "newsletter_recipients" USING btree ("email");--> statement-breakpoint
CREATE INDEX "newsletter_newest" ON "newsletter_subscriptions" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "newsletter_search" ON "newsletter_subscriptions" USING gin ("email" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "newsletters_newest" ON "newsletters" USING btree ("created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_new" ON "orders" USING btree ("subscription_id") WHERE "orders"."kind" = 'new';--> statement-breakpoint
CREATE INDEX "orders_subscription" ON "orders" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "orders_open" ON "orders" USING btree ("created_at") WHERE "orders"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "orders_nonce" ON "orders" USING btree ("nonce_hash");--> statement-breakpoint
CREATE INDEX "orders_user" ON "orders" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "orders_customer" ON "orders" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "purchases_untaxed" ON "purchases" USING btree ("created_at","id") WHERE "purchases"."tax_is_off";--> statement-breakpoint
CREATE INDEX "purchases_warned" ON "purchases" USING btree ("created_at","id") WHERE "purchases"."warned_payment_intent_id" is not null;--> statement-breakpoint
CREATE INDEX "purchases_disputed" ON "purchases" USING btree ("created_at","id") WHERE "purchases"."is_disputed";--> statement-breakpoint
CREATE INDEX "purchases_lost" ON "purchases" USING btree ("created_at","id") WHERE "purchases"."lost_amount" > "purchases"."lost_and_kept";--> statement-breakpoint
CREATE INDEX "purchases_ended_in" ON "purchases" USING btree (date_trunc('month', "ended_at" at time zone 'UTC'),"created_at","id") WHERE "purchases"."ended_at" is not null;--> statement-breakpoint
CREATE INDEX "purchases_user" ON "purchases" USING btree ("user_id","created_at","id","status");--> statement-breakpoint
CREATE INDEX "purchases_newest" ON "purchases" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "purchases_by_status" ON "purchases" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "purchases_by_billing" ON "purchases" USING btree ("billing_type","created_at","id");--> statement-breakpoint
CREATE INDEX "purchases_by_both" ON "purchases" USING btree ("status","billing_type","created_at","id");--> statement-breakpoint
CREATE INDEX "purchases_booked_ends" ON "purchases" USING btree ("ends_at") WHERE "purchases"."stripe_subscription_id" is null and "purchases"."ends_at" is not null;--> statement-breakpoint
CREATE INDEX "purchases_failed_refunds" ON "purchases" USING btree ("created_at","id") WHERE "purchases"."failed_refunds" > 0;--> statement-breakpoint
CREATE INDEX "purchases_leaving" ON "purchases" USING btree ("ended_at") WHERE "purchases"."leave_reason" is not null;--> statement-breakpoint
CREATE INDEX "purchases_uncovered" ON "purchases" USING btree ("created_at","id") WHERE "purchases"."uncovered_notes" > 0;--> statement-breakpoint
CREATE INDEX "purchases_drafts" ON "purchases" USING btree ("draft_since") WHERE "purchases"."draft_since" is not null;--> statement-breakpoint
CREATE INDEX "purchases_missing" ON "purchases" USING btree ("missing_since") WHERE "purchases"."missing_since" is not null;--> statement-breakpoint
CREATE INDEX "purchases_cards" ON "purchases" USING btree ("card_expires_at") WHERE "purchases"."status" = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX "purchases_one_live" ON "purchases" USING btree ("user_id","product_id") WHERE "purchases"."stripe_subscription_id" is not null and "purchases"."status" in ('active', 'pending_cancel', 'past_due');--> statement-breakpoint
CREATE UNIQUE INDEX "reviews_one_each" ON "reviews" USING btree ("user_id","product_id");--> statement-breakpoint
CREATE INDEX "reviews_newest" ON "reviews" USING btree ("written_at","id") WHERE "reviews"."written_at" is not null;--> statement-breakpoint
CREATE INDEX "service_messages_newest" ON "service_messages" USING btree ("sent_at","id");--> statement-breakpoint
CREATE INDEX "logins_user" ON "logins" USING btree ("user_id","at");--> statement-breakpoint
CREATE INDEX "logins_at" ON "logins" USING btree ("at");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_previous_token" ON "sessions" USING btree ("previous_token_hash");--> statement-breakpoint
CREATE INDEX "stripe_events_unhandled" ON "stripe_events" USING btree ("received_at") WHERE "stripe_events"."handled_at" is null;--> statement-breakpoint
CREATE INDEX "stripe_events_received" ON "stripe_events" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "tv_events_name" ON "tv_events" USING btree ("username_key","id");--> statement-breakpoint
CREATE INDEX "tv_events_at" ON "tv_events" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "tv_people_name" ON "tv_people" USING btree ("script_id","username_key");--> statement-breakpoint
CREATE INDEX "tv_people_user" ON "tv_people" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "tv_people_due" ON "tv_people" USING btree ("next_try_at") WHERE "tv_people"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "tv_people_newest" ON "tv_people" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "tv_people_noticed" ON "tv_people" USING btree ("user_id") WHERE "tv_people"."user_id" is not null and (("tv_people"."failing_since" is not null and "tv_people"."next_try_at" is null) or ("tv_people"."is_present" and not "tv_people"."is_ours"));--> statement-breakpoint
CREATE INDEX "tv_people_renamed" ON "tv_people" USING btree ("script_id","list_entry_id") WHERE "tv_people"."user_id" is null and "tv_people"."error" is not null;--> statement-breakpoint
CREATE INDEX "tv_runs_newest" ON "tv_runs" USING btree ("started_at");
--> statement-breakpoint
-- Triggers, which drizzle-kit does not generate. `npm run db:generate` appends this file to the baseline.

-- The ledger is append-only. Rows may be deleted after the ten years that books are kept, and with test data.
create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('shop.clears_test_data', true) = 'on' then return old; end if;
  if tg_op = 'DELETE' and old.at < now() - interval '10 years' then return old; end if;
  raise exception 'The ledger is never changed';
end $$;
--> statement-breakpoint
create trigger mrr_movements_unchanged before update or delete on mrr_movements
  for each row execute function refuse_ledger_change();
--> statement-breakpoint
create trigger mrr_movements_not_emptied before truncate on mrr_movements
  for each statement execute function refuse_ledger_change();
--> statement-breakpoint
-- Prices are append-only, too: a price that someone was shown stays readable. Only its id at Stripe may change.
create function refuse_price_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if to_jsonb(new) - 'stripe_price_id' = to_jsonb(old) - 'stripe_price_id' then return new; end if;
  end if;
  raise exception 'A price is never changed';
end $$;
--> statement-breakpoint
create trigger prices_unchanged before update or delete on prices
  for each row execute function refuse_price_change();
--> statement-breakpoint
create trigger prices_not_emptied before truncate on prices
  for each statement execute function refuse_price_change();
--> statement-breakpoint
-- The audit log is append-only. Rows may be deleted after three years.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '3 years' then return old; end if;
  raise exception 'The audit log is never changed';
end $$;
--> statement-breakpoint
create trigger audit_log_unchanged before update or delete on audit_log
  for each row execute function refuse_audit_change();
--> statement-breakpoint
create trigger audit_log_not_emptied before truncate on audit_log
  for each statement execute function refuse_audit_change();
--> statement-breakpoint
-- What was invoiced, paid and refunded stays in the books for ten years. Only clearing test data removes it earlier.
create function refuse_books_change() returns trigger language plpgsql as $$
declare
  may_change text[];
begin
  if current_setting('shop.clears_test_data', true) = 'on' then return coalesce(new, old); end if;
  if tg_op = 'DELETE' then
    if (to_jsonb(old) ->> tg_argv[0])::timestamptz < now() - interval '10 years' then return old; end if;
    raise exception 'The books are never deleted';
  end if;
  may_change := string_to_array(tg_argv[1], ' ');
  if tg_table_name = 'invoices' and to_jsonb(old) ->> 'finalized_at' is null then return new; end if;
  if to_jsonb(new) - may_change = to_jsonb(old) - may_change then return new; end if;
  raise exception 'The books are never changed';
end $$;
--> statement-breakpoint
create trigger invoices_unchanged before update or delete on invoices for each row
  execute function refuse_books_change('created_at', 'status number due_at paid_at closed_at amount_paid amount_remaining paid_out_of_band country region former_account');
--> statement-breakpoint
create trigger credit_notes_unchanged before update or delete on credit_notes for each row
  execute function refuse_books_change('created_at', 'status refunded');
--> statement-breakpoint
create trigger payments_unchanged before update or delete on payments for each row
  execute function refuse_books_change('paid_at', 'purchase_id tax invoice_number period_start period_end country lost_at lost_amount is_refund_blocked');
--> statement-breakpoint
create trigger refunds_unchanged before update or delete on refunds for each row
  execute function refuse_books_change('at', 'status keeps_access');
--> statement-breakpoint
create trigger balance_transactions_unchanged before update or delete on balance_transactions for each row
  execute function refuse_books_change('created_at', 'payout_id available_at');
--> statement-breakpoint
create trigger payouts_unchanged before update or delete on payouts for each row
  execute function refuse_books_change('created_at', 'status is_itemized arrives_at failure');
