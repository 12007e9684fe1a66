CREATE TABLE "payments" (
	"payment_intent_id" text PRIMARY KEY NOT NULL,
	"purchase_id" uuid NOT NULL,
	"invoice_id" text NOT NULL,
	"paid_at" timestamp (3) with time zone NOT NULL,
	"amount" integer NOT NULL,
	"tax" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refunds" (
	"id" text PRIMARY KEY NOT NULL,
	"payment_intent_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"amount" integer NOT NULL,
	"status" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "purchases" DROP CONSTRAINT "purchases_status";--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "last_paid_amount" integer;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "next_amount" integer;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "due_amount" integer;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "ordered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "paid_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "paid_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "given_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "paused_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "tax_is_off" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_purchase_id_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."purchases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_payment_intent_id_payments_payment_intent_id_fk" FOREIGN KEY ("payment_intent_id") REFERENCES "public"."payments"("payment_intent_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payments_purchase" ON "payments" USING btree ("purchase_id");--> statement-breakpoint
CREATE INDEX "payments_paid" ON "payments" USING btree ("paid_at");--> statement-breakpoint
CREATE INDEX "refunds_payment" ON "refunds" USING btree ("payment_intent_id");--> statement-breakpoint
CREATE INDEX "refunds_at" ON "refunds" USING btree ("at");--> statement-breakpoint
ALTER TABLE "purchases" ADD CONSTRAINT "purchases_status" CHECK ("purchases"."status" in ('active', 'pending_cancel', 'past_due', 'paused', 'cancelled', 'expired')) NOT VALID;