CREATE TABLE "plan_switches" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"purchase_id" uuid NOT NULL,
	"amount_due" integer NOT NULL,
	"terms_version" text NOT NULL,
	"agreed_at" timestamp (3) with time zone NOT NULL,
	"done_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "plan_switches" ADD CONSTRAINT "plan_switches_purchase_id_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."purchases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "plan_switches_purchase" ON "plan_switches" USING btree ("purchase_id");--> statement-breakpoint
CREATE INDEX "plan_switches_open" ON "plan_switches" USING btree ("agreed_at") WHERE "plan_switches"."done_at" is null;