CREATE TABLE "access" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"product_id" uuid NOT NULL,
	"reason" text,
	"until" timestamp (3) with time zone,
	"name_key" text,
	"name_problem" text,
	"similar" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"name_checked_at" timestamp (3) with time zone,
	"state" text DEFAULT 'none' NOT NULL,
	"state_since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"asked_at" timestamp (3) with time zone,
	"decided_by" uuid,
	"declined_because" text,
	"needs_decision" boolean DEFAULT false NOT NULL,
	"undo_until" timestamp (3) with time zone,
	"undo_to" jsonb,
	"unlocked_name" text,
	"version" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "access_state" CHECK ("access"."state" in ('none', 'asked', 'unlocking', 'unlocked', 'locked', 'declined', 'withheld')),
	CONSTRAINT "access_name_problem" CHECK ("access"."name_problem" in ('unreadable', 'taken', 'not_found'))
);
--> statement-breakpoint
CREATE TABLE "access_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "access_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" uuid NOT NULL,
	"product_id" uuid NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"event" text NOT NULL,
	"from_state" text NOT NULL,
	"to_state" text NOT NULL,
	"username" text,
	"reason" text,
	"by_admin" uuid,
	"mail" text,
	CONSTRAINT "access_events_event" CHECK ("access_events"."event" in ('paid', 'ended', 'named', 'renamed', 'asked', 'connector_on', 'connector_off', 'granted', 'undone', 'declined', 'withheld', 'restored', 'opened', 'closed'))
);
--> statement-breakpoint
CREATE TABLE "access_forms" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"purchase_id" uuid,
	"exchange_name" text NOT NULL,
	"trading_view_username" text NOT NULL,
	"additional_info" text,
	"sealed_keys" text,
	"submitted_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tv_people" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"script_id" uuid NOT NULL,
	"username_key" text NOT NULL,
	"username" text NOT NULL,
	"user_id" uuid,
	"is_ours" boolean DEFAULT false NOT NULL,
	"is_present" boolean,
	"present_until" timestamp (3) with time zone,
	"observed_at" timestamp (3) with time zone,
	"row_id" text,
	"tries" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"next_try_at" timestamp (3) with time zone,
	"error" text,
	"first_present_at" timestamp (3) with time zone,
	"version" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "access" ADD CONSTRAINT "access_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access" ADD CONSTRAINT "access_decided_by_users_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_events" ADD CONSTRAINT "access_events_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_events" ADD CONSTRAINT "access_events_by_admin_users_id_fk" FOREIGN KEY ("by_admin") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_forms" ADD CONSTRAINT "access_forms_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_forms" ADD CONSTRAINT "access_forms_purchase_id_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."purchases"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tv_people" ADD CONSTRAINT "tv_people_script_id_tv_scripts_id_fk" FOREIGN KEY ("script_id") REFERENCES "public"."tv_scripts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tv_people" ADD CONSTRAINT "tv_people_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "access_one" ON "access" USING btree ("user_id","product_id");--> statement-breakpoint
CREATE UNIQUE INDEX "access_name" ON "access" USING btree ("product_id","name_key");--> statement-breakpoint
CREATE INDEX "access_by_state" ON "access" USING btree ("state","state_since","id");--> statement-breakpoint
CREATE INDEX "access_undo" ON "access" USING btree ("undo_until") WHERE "access"."undo_until" is not null;--> statement-breakpoint
CREATE INDEX "access_events_user" ON "access_events" USING btree ("user_id","at");--> statement-breakpoint
CREATE INDEX "access_forms_user" ON "access_forms" USING btree ("user_id","submitted_at");--> statement-breakpoint
CREATE INDEX "access_forms_purchase" ON "access_forms" USING btree ("purchase_id");--> statement-breakpoint
CREATE INDEX "access_forms_newest" ON "access_forms" USING btree ("submitted_at","id");--> statement-breakpoint
CREATE INDEX "access_forms_sealed" ON "access_forms" USING btree ("submitted_at") WHERE "access_forms"."sealed_keys" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "tv_people_name" ON "tv_people" USING btree ("script_id","username_key");--> statement-breakpoint
CREATE INDEX "tv_people_user" ON "tv_people" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "tv_people_due" ON "tv_people" USING btree ("next_try_at") WHERE "tv_people"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "tv_people_newest" ON "tv_people" USING btree ("created_at","id");--> statement-breakpoint
INSERT INTO "tv_people" ("id", "script_id", "username_key", "username", "user_id", "is_ours", "is_present", "present_until", "observed_at",
  "row_id", "tries", "failing_since", "next_try_at", "error", "first_present_at", "version", "created_at")
SELECT "id", "script_id", "username_key", "username", "user_id", "is_ours", "is_present", "present_until", "observed_at",
  "row_id", "tries", CASE WHEN "state" = 'stuck' THEN coalesce("failing_since", now()) ELSE "failing_since" END,
  CASE WHEN "state" <> 'stuck' THEN "next_try_at" END, "error", "first_present_at", "version", "created_at"
FROM "tv_grants";--> statement-breakpoint
INSERT INTO "access_forms" ("id", "user_id", "purchase_id", "exchange_name", "trading_view_username", "additional_info", "sealed_keys", "submitted_at")
SELECT "id", "user_id", "purchase_id", "exchange_name", "trading_view_username", "additional_info", "sealed_keys", "submitted_at"
FROM "access_requests";--> statement-breakpoint
-- Every request with its product; a deleted purchase can only have been of the one product there was.
CREATE TEMPORARY TABLE "asked" ON COMMIT DROP AS
SELECT r.*, coalesce(p."product_id", '5b8f9a52-6d0e-4a53-9a3c-2f1f6f7f0c01') AS "product_id",
  row_number() OVER (PARTITION BY r."user_id", coalesce(p."product_id", '5b8f9a52-6d0e-4a53-9a3c-2f1f6f7f0c01') ORDER BY r."submitted_at" DESC, r."id") AS "nth"
FROM "access_requests" r LEFT JOIN "purchases" p ON p."id" = r."purchase_id";--> statement-breakpoint
-- What a live purchase gives: docs/entitlements.md.
CREATE TEMPORARY TABLE "paid" ON COMMIT DROP AS
SELECT DISTINCT ON ("user_id", "product_id") * FROM (
  SELECT p."user_id", p."product_id",
    CASE WHEN p."is_disputed" THEN 'disputed' WHEN p."status" = 'past_due' THEN 'unpaid'
      WHEN p."status" = 'pending_cancel' OR p."ends_at" IS NOT NULL THEN 'ends' ELSE 'renews' END AS "reason",
    CASE p."status" WHEN 'past_due' THEN p."past_due_since" + interval '14 days'
      WHEN 'pending_cancel' THEN coalesce(p."ends_at", p."current_period_end")
      ELSE coalesce(p."ends_at", p."current_period_end" + interval '3 days') END AS "until"
  FROM "purchases" p JOIN "users" u ON u."id" = p."user_id" AND u."deleted_at" IS NULL
  WHERE p."status" IN ('active', 'pending_cancel', 'past_due')) each
ORDER BY "user_id", "product_id", "until" DESC NULLS FIRST;--> statement-breakpoint
-- One row for each person and product, with what the former tables said: docs/access.md has the table of what becomes of it.
CREATE TEMPORARY TABLE "moved" ON COMMIT DROP AS
SELECT who."user_id", who."product_id", u."deleted_at", CASE WHEN e."reason" IS NOT NULL THEN e."reason" ELSE paid."reason" END AS "reason",
  CASE WHEN e."reason" IS NOT NULL THEN e."until" ELSE paid."until" END AS "until",
  e."id" IS NOT NULL AS "had_row", e."username_key", e."problem", coalesce(e."similar", '[]') AS "similar", e."checked_at", e."withheld_since",
  newest."status", newest."reason" AS "because", newest."submitted_at", newest."decided_at", newest."decided_by", newest."announce_at",
  coalesce(newest."submitted_at", e."wanted_since") AS "asked_at",
  coalesce(newest."decided_at", newest."submitted_at", e."changed_at", now()) AS "since", opened."ended_at",
  nullif(coalesce(opened."trading_view_username", seen."username"), '') AS "open_name",
  CASE WHEN newest."status" = 'refused' AND opened."id" IS NOT NULL THEN opened."trading_view_username"
    ELSE coalesce(e."username", newest."trading_view_username", u."trading_view_username") END AS "username",
  EXISTS (SELECT FROM "asked" WHERE "user_id" = who."user_id" AND "product_id" = who."product_id" AND "nth" = 2 AND "status" = 'refused') AS "was_refused",
  EXISTS (SELECT FROM "asked" JOIN "purchases" p ON p."id" = "asked"."purchase_id" AND p."status" IN ('active', 'pending_cancel', 'past_due')
    WHERE "asked"."user_id" = who."user_id" AND "asked"."product_id" = who."product_id" AND "asked"."nth" = 1 AND "asked"."ended_at" IS NULL) AS "is_for_live"
FROM (SELECT "user_id", "product_id" FROM "entitlements" UNION SELECT "user_id", "product_id" FROM "asked" UNION SELECT "user_id", "product_id" FROM "paid") who
JOIN "users" u ON u."id" = who."user_id"
LEFT JOIN "entitlements" e ON e."user_id" = who."user_id" AND e."product_id" = who."product_id" AND u."deleted_at" IS NULL
LEFT JOIN "paid" ON paid."user_id" = who."user_id" AND paid."product_id" = who."product_id"
LEFT JOIN "asked" newest ON newest."user_id" = who."user_id" AND newest."product_id" = who."product_id" AND newest."nth" = 1
LEFT JOIN LATERAL (SELECT * FROM "asked" WHERE "user_id" = who."user_id" AND "product_id" = who."product_id" AND "status" = 'granted'
  ORDER BY "nth" LIMIT 1) opened ON true
LEFT JOIN LATERAL (SELECT g."username" FROM "tv_grants" g JOIN "tv_scripts" s ON s."id" = g."script_id" AND s."product_id" = who."product_id"
  WHERE g."user_id" = who."user_id" AND g."is_present" AND g."is_ours" ORDER BY g."username_key" = e."username_key" DESC NULLS LAST LIMIT 1) seen ON true;--> statement-breakpoint
INSERT INTO "access" ("user_id", "product_id", "reason", "until", "name_key", "name_problem", "similar", "name_checked_at", "state", "state_since",
  "asked_at", "decided_by", "declined_because", "needs_decision", "undo_until", "undo_to", "unlocked_name")
SELECT "user_id", "product_id", "reason", "until", CASE WHEN "rank" = 1 THEN "key" END,
  CASE WHEN "deleted_at" IS NOT NULL OR "username" IS NULL THEN NULL WHEN "key" IS NULL THEN coalesce("problem", 'unreadable')
    WHEN "rank" > 1 THEN 'taken' ELSE "problem" END,
  "similar", "checked_at", "state",
  CASE WHEN "state" = 'asked' THEN "submitted_at" WHEN "state" = 'withheld' THEN coalesce("withheld_since", "since")
    WHEN "state" = 'unlocked' AND "reason" IS NULL THEN coalesce("ended_at", "since") ELSE "since" END,
  "asked_at", "decided_by", CASE WHEN "state" = 'declined' THEN "because" END,
  "state" = 'asked' AND ("withheld_since" IS NOT NULL OR "was_refused"),
  CASE WHEN "state" = 'unlocked' AND "reason" IS NOT NULL THEN "announce_at" END,
  CASE WHEN "state" = 'unlocked' AND "reason" IS NOT NULL AND "announce_at" IS NOT NULL
    THEN '{"state": "asked", "needsDecision": false, "unlockedName": null}'::jsonb END,
  CASE WHEN "state" IN ('unlocked', 'asked') THEN "open_name" END
FROM (
  SELECT *, row_number() OVER (PARTITION BY "product_id", "key" ORDER BY "username_key" IS NULL, "reason" IS NULL, "since" DESC, "user_id") AS "rank"
  FROM (
    SELECT *,
      CASE WHEN "deleted_at" IS NOT NULL THEN NULL WHEN "had_row" THEN "username_key"
        WHEN "name" ~ '^[A-Za-z0-9_.-]{1,64}$' THEN lower("name") END AS "key",
      CASE
        WHEN "reason" IS NULL THEN CASE WHEN "open_name" IS NOT NULL THEN 'unlocked' WHEN "status" = 'revoked' THEN 'locked' ELSE 'none' END
        WHEN "status" = 'requested' THEN 'asked'
        WHEN "withheld_since" IS NOT NULL THEN 'withheld'
        WHEN "status" = 'refused' AND "open_name" IS NULL THEN 'declined'
        WHEN "status" = 'revoked' AND "is_for_live" THEN 'withheld'
        WHEN "open_name" IS NOT NULL THEN 'unlocked'
        WHEN "status" = 'revoked' THEN 'locked'
        ELSE 'none' END AS "state"
    FROM (SELECT *, ltrim(regexp_replace(trim("username"), '^(https?://)?([a-z0-9-]+\.)?tradingview\.com/u/([^/?#]+).*$', '\3', 'i'), '@') AS "name" FROM "moved") named
  ) mapped
) ranked
WHERE "deleted_at" IS NULL OR "open_name" IS NOT NULL;--> statement-breakpoint
-- The name that is wanted is the person's.
UPDATE "users" SET "trading_view_username" = m."username"
FROM "moved" m WHERE m."user_id" = "users"."id" AND m."deleted_at" IS NULL AND nullif(m."username", '') IS NOT NULL
  AND "users"."trading_view_username" IS DISTINCT FROM m."username";--> statement-breakpoint
INSERT INTO "access_events" ("user_id", "product_id", "at", "event", "from_state", "to_state", "username", "reason", "by_admin")
SELECT "user_id", "product_id", "at", "event", "from_state", "to_state", nullif("username", ''), "reason", "by_admin" FROM (
  SELECT "user_id", "product_id", "submitted_at" AS "at", 'asked' AS "event", 'none' AS "from_state", 'asked' AS "to_state",
    "trading_view_username" AS "username", NULL AS "reason", NULL::uuid AS "by_admin" FROM "asked"
  UNION ALL
  SELECT "user_id", "product_id", "decided_at",
    CASE "status" WHEN 'refused' THEN 'declined' WHEN 'revoked' THEN 'closed' WHEN 'granted' THEN CASE WHEN "decided_by" IS NULL THEN 'opened' ELSE 'granted' END END,
    CASE "status" WHEN 'revoked' THEN 'unlocked' ELSE 'asked' END,
    CASE "status" WHEN 'refused' THEN 'declined' WHEN 'revoked' THEN 'locked' ELSE 'unlocked' END,
    "trading_view_username", "reason", "decided_by" FROM "asked" WHERE "decided_at" IS NOT NULL AND "status" <> 'requested'
  UNION ALL
  SELECT "user_id", "product_id", "ended_at", 'ended', 'unlocked', 'unlocked', "trading_view_username", NULL, NULL FROM "asked" WHERE "ended_at" IS NOT NULL
  UNION ALL
  SELECT c."user_id", e."product_id", c."at", 'renamed', 'unlocked', 'unlocking', c."to_key", NULL, c."by_admin"
  FROM "username_changes" c JOIN "entitlements" e ON e."user_id" = c."user_id") happened
ORDER BY "at";--> statement-breakpoint
UPDATE "sent_mails" SET "kind" = CASE "kind" WHEN 'accessGranted' THEN 'accessUnlocked' WHEN 'accessRefused' THEN 'accessDeclined' ELSE 'accessEnded' END
WHERE "kind" IN ('accessGranted', 'accessRefused', 'accessRevoked');--> statement-breakpoint
-- Emails that wait to be sent.
DO $$ BEGIN
  IF to_regclass('jobs.job') IS NOT NULL THEN
    UPDATE jobs.job SET data = jsonb_set(data, '{kind}', to_jsonb(CASE data ->> 'kind' WHEN 'accessGranted' THEN 'accessUnlocked'
      WHEN 'accessRefused' THEN 'accessDeclined' ELSE 'accessEnded' END))
    WHERE name = 'mail' AND data ->> 'kind' IN ('accessGranted', 'accessRefused', 'accessRevoked');
  END IF;
END $$;
