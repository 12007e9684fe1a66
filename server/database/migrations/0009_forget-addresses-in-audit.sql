-- in batches
UPDATE "audit_log" SET
  "about_id" = coalesce(
    "about_id",
    (SELECT "id" FROM "users" WHERE "email" = "audit_log"."subject"),
    CASE WHEN "action" LIKE 'purchase.%' THEN coalesce(
      ("detail"->>'userId')::uuid,
      (SELECT "user_id" FROM "purchases" WHERE "id" = CASE WHEN "audit_log"."subject" ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN "audit_log"."subject"::uuid END)
    ) END
  ),
  "subject" = CASE WHEN "subject" LIKE '%@%' THEN '' ELSE "subject" END,
  "actor_email" = '',
  "detail" = "detail" - 'reason'
WHERE "id" IN (
  SELECT "id" FROM "audit_log"
  WHERE "actor_email" <> '' OR "subject" LIKE '%@%'
  LIMIT 5000
);
