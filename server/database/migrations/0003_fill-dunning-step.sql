-- in batches
UPDATE "purchases" SET "dunning_step" = least("failed_payments", 3)
WHERE "id" IN (
  SELECT "id" FROM "purchases"
  WHERE "status" = 'past_due' AND "dunning_step" = 0 AND "failed_payments" > 0
  LIMIT 5000
);
