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
	"handled_at" timestamp (3) with time zone,
	"outcome" text,
	CONSTRAINT "declarations_kind" CHECK ("declarations"."kind" in ('withdrawal', 'cancellation')),
	CONSTRAINT "declarations_state" CHECK ("declarations"."state" in ('open', 'confirmed', 'done'))
);
--> statement-breakpoint
ALTER TABLE "declarations" ADD CONSTRAINT "declarations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "declarations" ADD CONSTRAINT "declarations_purchase_id_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."purchases"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "declarations_newest" ON "declarations" USING btree ("declared_at","id");--> statement-breakpoint
CREATE INDEX "declarations_confirmed" ON "declarations" USING btree ("id") WHERE "declarations"."state" = 'confirmed';--> statement-breakpoint
CREATE INDEX "declarations_user" ON "declarations" USING btree ("user_id");