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
	"leave_id" uuid,
	"state" text DEFAULT 'waiting' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"retry_at" timestamp (3) with time zone,
	"done_at" timestamp (3) with time zone,
	"reply" text,
	"left_at" timestamp (3) with time zone,
	CONSTRAINT "newsletter_recipients_state" CHECK ("newsletter_recipients"."state" in ('waiting', 'handed_over', 'sent', 'refused', 'uncertain'))
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
ALTER TABLE "order_records" ADD COLUMN "news_version" text;--> statement-breakpoint
ALTER TABLE "order_records" ADD COLUMN "news_objected_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "mail_suppressions" ADD CONSTRAINT "mail_suppressions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "newsletter_recipients" ADD CONSTRAINT "newsletter_recipients_newsletter_id_newsletters_id_fk" FOREIGN KEY ("newsletter_id") REFERENCES "public"."newsletters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "newsletters" ADD CONSTRAINT "newsletters_updated_by_users_id_fk" FOREIGN KEY ("updated_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mail_suppressions_user" ON "mail_suppressions" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "newsletter_recipients_once" ON "newsletter_recipients" USING btree ("newsletter_id","email");--> statement-breakpoint
CREATE INDEX "newsletter_recipients_state" ON "newsletter_recipients" USING btree ("newsletter_id","state");--> statement-breakpoint
CREATE INDEX "newsletter_recipients_email" ON "newsletter_recipients" USING btree ("email");--> statement-breakpoint
CREATE INDEX "newsletters_newest" ON "newsletters" USING btree ("created_at","id");