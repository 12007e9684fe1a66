ALTER TABLE "audit_log" ALTER COLUMN "actor_email" SET DEFAULT '';--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "about_id" uuid;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "previous_token_hash" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "rotated_at" timestamp (3) with time zone;--> statement-breakpoint
-- People are named by id only, whoever writes: the previous version, still running beside this one, writes addresses.
CREATE FUNCTION "audit_people_by_id"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.subject LIKE '%@%' THEN
    new.about_id := coalesce(new.about_id, (SELECT id FROM users WHERE email = new.subject));
    new.subject := '';
  END IF;
  new.actor_email := '';
  new.detail := new.detail - 'reason';
  RETURN new;
END $$;
--> statement-breakpoint
CREATE TRIGGER "audit_log_people_by_id" BEFORE INSERT ON "audit_log" FOR EACH ROW EXECUTE FUNCTION "audit_people_by_id"();
