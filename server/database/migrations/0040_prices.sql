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
ALTER TABLE "prices" ADD CONSTRAINT "prices_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE no action ON UPDATE no action;