-- in batches
UPDATE "purchases" SET
  "ordered_at" = "created_at",
  "last_paid_amount" = CASE WHEN "last_paid_at" IS NOT NULL THEN "amount" END,
  "next_amount" = CASE WHEN "stripe_subscription_id" IS NOT NULL AND "status" IN ('active', 'past_due') THEN "amount" END,
  "paid_until" = "current_period_end"
WHERE "id" IN (SELECT "id" FROM "purchases" WHERE "ordered_at" IS NULL LIMIT 5000);
