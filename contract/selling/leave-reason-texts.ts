import type { LeaveReason } from '../statuses.ts'

/** Not in statuses.ts, because most pages load that file and only few need these texts. */
export const leaveReasonTexts: Record<LeaveReason, string> = {
  too_expensive: 'It’s too expensive',
  unused: 'I don’t use it enough',
  missing_features: 'Something is missing',
  low_quality: 'The signals don’t suit me',
  too_complex: 'It’s too hard to set up or use',
  customer_service: 'Support didn’t help me',
  switched_service: 'I use something else now',
  other: 'Another reason',
}
