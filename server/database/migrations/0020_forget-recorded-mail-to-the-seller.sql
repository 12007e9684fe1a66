-- in batches
DELETE FROM "sent_mails" WHERE "id" IN (
  SELECT "id" FROM "sent_mails"
  WHERE "kind" IN (
    'contactMessage', 'accessRequested', 'disputeOpened', 'adminDigest', 'declarationWaits', 'reviewWritten',
    'reviewReported', 'tradingViewStopped', 'tradingViewStuck', 'tradingViewDifferences', 'tradingViewSeats'
  )
  LIMIT 5000
);
