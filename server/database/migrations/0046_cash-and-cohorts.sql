CREATE TABLE "cash_months" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "cash_months_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"month" date NOT NULL,
	"paid" bigint NOT NULL,
	"tax" bigint NOT NULL,
	"refunded" bigint NOT NULL,
	"lost" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cohort_months" (
	"cohort" date NOT NULL,
	"month" date NOT NULL,
	"joined" integer NOT NULL,
	"people" integer NOT NULL,
	"arr" bigint NOT NULL,
	CONSTRAINT "cohort_months_cohort_month_pk" PRIMARY KEY("cohort","month")
);
--> statement-breakpoint
CREATE TABLE "mrr_proofs" (
	"at" timestamp (3) with time zone PRIMARY KEY NOT NULL,
	"compared" integer NOT NULL,
	"at_stripe" bigint NOT NULL,
	"here" bigint NOT NULL,
	"elsewhere" bigint NOT NULL,
	"differing" integer NOT NULL,
	"differences" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "invoice_number" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "period_start" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "period_end" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "country" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "lost_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "lost_amount" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
DROP INDEX "payments_paid";--> statement-breakpoint
DROP INDEX "refunds_at";--> statement-breakpoint
CREATE INDEX "cash_months_month" ON "cash_months" USING btree ("month");