CREATE TABLE "entitlements" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"product_id" uuid NOT NULL,
	"reason" text,
	"until" timestamp (3) with time zone,
	"username" text,
	"username_key" text,
	"problem" text,
	"similar" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"wanted_since" timestamp (3) with time zone,
	"changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "entitlements_problem" CHECK ("entitlements"."problem" in ('unreadable', 'taken', 'not_found'))
);
--> statement-breakpoint
CREATE TABLE "seat_reservations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"product_id" uuid NOT NULL,
	"holder" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tv_connection" (
	"id" integer PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"mode" text NOT NULL,
	"host" text NOT NULL,
	"account_name" text,
	"sealed_cookies" text,
	"accepted_at" timestamp (3) with time zone,
	"accepted_by" uuid,
	"checked_at" timestamp (3) with time zone,
	"ok_at" timestamp (3) with time zone,
	"down_since" timestamp (3) with time zone,
	"last_error" text,
	"misunderstood" integer DEFAULT 0 NOT NULL,
	"seat_limit" integer,
	"shows_seats" boolean DEFAULT false NOT NULL,
	"freezes_disputes" boolean DEFAULT true NOT NULL,
	"held_back" integer,
	"may_remove_until" timestamp (3) with time zone,
	"warned_people" integer DEFAULT 0 NOT NULL,
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
CREATE TABLE "tv_grants" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"script_id" uuid NOT NULL,
	"username_key" text NOT NULL,
	"username" text NOT NULL,
	"user_id" uuid,
	"is_ours" boolean DEFAULT false NOT NULL,
	"is_wanted" boolean DEFAULT false NOT NULL,
	"wanted_until" timestamp (3) with time zone,
	"is_present" boolean,
	"present_until" timestamp (3) with time zone,
	"observed_at" timestamp (3) with time zone,
	"row_id" text,
	"state" text NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"next_try_at" timestamp (3) with time zone,
	"error" text,
	"first_present_at" timestamp (3) with time zone,
	"version" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tv_grants_state" CHECK ("tv_grants"."state" in ('unlocking', 'unlocked', 'locking', 'locked', 'name_not_found', 'waiting', 'stuck', 'foreign'))
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
	"held_back" integer DEFAULT 0 NOT NULL,
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
CREATE TABLE "username_changes" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"from_key" text NOT NULL,
	"to_key" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"by_admin" uuid
);
--> statement-breakpoint
CREATE TABLE "waitlist" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"product_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"invited_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "access_requests" ADD COLUMN "announce_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "checkouts" ADD COLUMN "trading_view_username" text;--> statement-breakpoint
ALTER TABLE "entitlements" ADD CONSTRAINT "entitlements_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tv_connection" ADD CONSTRAINT "tv_connection_accepted_by_users_id_fk" FOREIGN KEY ("accepted_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tv_grants" ADD CONSTRAINT "tv_grants_script_id_tv_scripts_id_fk" FOREIGN KEY ("script_id") REFERENCES "public"."tv_scripts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tv_grants" ADD CONSTRAINT "tv_grants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tv_runs" ADD CONSTRAINT "tv_runs_script_id_tv_scripts_id_fk" FOREIGN KEY ("script_id") REFERENCES "public"."tv_scripts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "username_changes" ADD CONSTRAINT "username_changes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "username_changes" ADD CONSTRAINT "username_changes_by_admin_users_id_fk" FOREIGN KEY ("by_admin") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "entitlements_one" ON "entitlements" USING btree ("user_id","product_id");--> statement-breakpoint
CREATE UNIQUE INDEX "entitlements_name" ON "entitlements" USING btree ("product_id","username_key");--> statement-breakpoint
CREATE UNIQUE INDEX "seat_reservations_holder" ON "seat_reservations" USING btree ("product_id","holder");--> statement-breakpoint
CREATE INDEX "tv_events_name" ON "tv_events" USING btree ("username_key","id");--> statement-breakpoint
CREATE INDEX "tv_events_at" ON "tv_events" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "tv_grants_name" ON "tv_grants" USING btree ("script_id","username_key");--> statement-breakpoint
CREATE INDEX "tv_grants_user" ON "tv_grants" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "tv_grants_due" ON "tv_grants" USING btree ("next_try_at") WHERE "tv_grants"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "tv_grants_newest" ON "tv_grants" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "tv_runs_newest" ON "tv_runs" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "username_changes_user" ON "username_changes" USING btree ("user_id","at");--> statement-breakpoint
CREATE UNIQUE INDEX "waitlist_once" ON "waitlist" USING btree ("product_id","email");