/** The owner accepts this before the connection to the real TradingView can be switched on. */
export const tradingViewRisks =
  'TradingView offers no official interface for this. The shop uses the same calls as the page on which you manage access, with your own session. TradingView’s terms do not allow commercial use of its services or interfaces without an agreement, and the calls can change or be blocked at any time; in the worst case TradingView restricts your account. Use it for your own scripts only. If it stops, nothing is lost: requests go to the manual queue.'
export const tradingViewAcceptance = 'I have read this and switch it on at my own risk.'
