CREATE TABLE "code_uses" (
	"checkout_id" uuid PRIMARY KEY NOT NULL,
	"code_id" uuid NOT NULL,
	"held_until" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
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
ALTER TABLE "purchases" ADD COLUMN "later_amount" integer;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "later_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "code_uses" ADD CONSTRAINT "code_uses_code_id_discount_codes_id_fk" FOREIGN KEY ("code_id") REFERENCES "public"."discount_codes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discount_codes" ADD CONSTRAINT "discount_codes_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "code_uses_code" ON "code_uses" USING btree ("code_id","used_at");