/** What stands directly above the pay button. Raise the version when the text of the box changes. */
export const startNow = {
  version: '2026-11-16',
  text: 'Start my access right away, before the 14 days are over',
  hint: 'Not needed to pay. Your access starts once we have your TradingView username, and if you withdraw within 14 days you get all your money back either way.',
} as const
