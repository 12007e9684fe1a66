CREATE TABLE "mrr_days" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mrr_days_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"day" date NOT NULL,
	"kind" text NOT NULL,
	"cause" text NOT NULL,
	"movements" bigint NOT NULL,
	"people" bigint NOT NULL,
	"arr" bigint NOT NULL,
	"late" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mrr_movements" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mrr_movements_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"purchase_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"product_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
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
	CONSTRAINT "mrr_movements_causes" CHECK ("mrr_movements"."cause" in ('bought', 'resume', 'plan', 'price', 'quantity', 'discount', 'tax', 'pause', 'cancelled', 'unpaid', 'refunded', 'disputed', 'duplicate', 'no_seat', 'expired', 'deleted'))
);
--> statement-breakpoint
DROP INDEX "purchases_unread";--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "arr" integer;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "card_expires_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "mrr_days_day" ON "mrr_days" USING btree ("day");--> statement-breakpoint
CREATE UNIQUE INDEX "mrr_movements_source" ON "mrr_movements" USING btree ("purchase_id","source","revision");--> statement-breakpoint
CREATE INDEX "mrr_movements_at" ON "mrr_movements" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "mrr_movements_kind" ON "mrr_movements" USING btree ("kind","at","id");--> statement-breakpoint
CREATE INDEX "mrr_movements_user" ON "mrr_movements" USING btree ("user_id");