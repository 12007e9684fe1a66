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
CREATE TABLE "order_records" (
	"checkout_id" uuid PRIMARY KEY NOT NULL,
	"start_now" boolean,
	"consent_version" text,
	"terms_version" text,
	"agreed_at" timestamp (3) with time zone,
	"country" text,
	"postal_code" text,
	"card_country" text
);
--> statement-breakpoint
ALTER TABLE "newsletter_subscriptions" ADD COLUMN "consent_version" text;--> statement-breakpoint
ALTER TABLE "newsletter_subscriptions" ADD COLUMN "requested_on" text;--> statement-breakpoint
ALTER TABLE "newsletter_subscriptions" ADD COLUMN "requested_from" text;--> statement-breakpoint
ALTER TABLE "newsletter_subscriptions" ADD COLUMN "confirmed_from" text;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "rest_refund" integer;--> statement-breakpoint
ALTER TABLE "billing_details" ADD CONSTRAINT "billing_details_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_records" ADD CONSTRAINT "order_records_checkout_id_checkouts_id_fk" FOREIGN KEY ("checkout_id") REFERENCES "public"."checkouts"("id") ON DELETE cascade ON UPDATE no action;