/** The product page's copy. Its structured data takes the questions from here too. */

export const benefits = [
  {
    title: 'Clear entries and exits',
    text: 'Each signal marks where a trade begins and where it ends. Nothing is left to interpretation.',
  },
  {
    title: 'Short holding periods',
    text: 'Typically 2–5 days. The trade is over before the headlines can change your mind.',
  },
  {
    title: 'Made for stocks and ETFs',
    text: 'The rules are written for the way stocks and ETFs pull back and recover on daily charts.',
  },
  {
    title: 'Testable before you trade',
    text: 'The strategy version runs the same rules on the history of any symbol you choose.',
  },
  {
    title: 'Selective by design',
    text: 'Most days bring no signal. Waiting is part of the method, and the indicator does it for you.',
  },
  {
    title: 'Actively maintained',
    text: 'The Rebound List is reviewed at least once a month, and updates are included.',
  },
]

export const steps = [
  {
    title: 'A pullback goes too far',
    text: 'On the daily chart, the indicator measures how far the price has fallen from its usual range. Nothing happens until that distance is unusual.',
  },
  {
    title: 'The rules confirm an entry',
    text: 'When every condition holds on a closed candle, the entry is marked on your chart. You decide and place the order; nothing is traded for you.',
  },
  {
    title: 'The rules end the trade',
    text: 'The exit is marked by rule, too, typically 2–5 days later, whether or not the rebound came.',
  },
]

export const contents = [
  { title: 'Invite-Only Indicator', text: 'Rebound Sigma Pro on TradingView, unlocked for your username.' },
  {
    title: 'Strategy Version',
    text: 'The same rules as a strategy, ready for backtests in the Strategy Tester.',
  },
  { title: 'Rebound List', text: 'Symbols that fit the method, reviewed at least once a month.' },
  { title: 'Buyer Dashboard', text: 'A private home for your indicator link, asset list, and invoices.' },
  { title: 'Setup Notes', text: 'Six steps from access to the first signal, in about five minutes.' },
  {
    title: 'Quick Instructions',
    text: 'How to read a signal, how to set an alert, and when to leave a trade alone.',
  },
  { title: 'Ongoing Updates', text: 'Improvements to the indicator and strategy while you subscribe.' },
  { title: 'Direct Creator Support', text: 'Questions are answered by the person who wrote the rules.' },
]

export const questions = [
  {
    question: 'Which markets does it work on?',
    answer:
      'It runs on any symbol TradingView can chart. It is designed for stocks and ETFs, and the Rebound List includes only those.',
  },
  {
    question: 'Which timeframe should I use?',
    answer:
      'Daily charts. Positions are typically held for 2–5 days. The rules are not designed for intraday trading.',
  },
  {
    question: 'Can I backtest it?',
    answer:
      'Yes. The subscription includes a strategy version with the same rules, so you can test any symbol and period in the Strategy Tester first.',
  },
  {
    question: 'How often is the Rebound List updated?',
    answer:
      'It is reviewed at least once a month. Symbols that no longer fit the method leave the list, and new ones join it. The current list is always on your dashboard.',
  },
  {
    question: 'Does it trade automatically?',
    answer:
      'No. It is not automated trading. The indicator marks entries and exits on your chart; every order is placed by you, with your broker.',
  },
  {
    question: 'Do I need a paid TradingView plan?',
    answer:
      'No, it works on free TradingView accounts. If you want alerts on several symbols at once, a paid plan is recommended, because free accounts allow only a few alerts.',
  },
  {
    question: 'Does it work outside the US?',
    answer: 'Yes. Non-US markets work the same way, as long as TradingView has daily data for the symbol.',
  },
  {
    question: 'Who is it for?',
    answer:
      'Data-driven traders who prefer tested rules to opinions and can wait for a signal. If you’re looking for constant action, or for someone to trade for you, it’s not the right tool.',
  },
]
