import { Counter } from 'prom-client'
import type { CallReport, SessionCookies } from './tradingview/ask.ts'
import { createTradingViewClient, type TradingViewClient } from './tradingview/client.ts'

export { cookieLine, readCookies, type SessionCookies, TradingViewFailure } from './tradingview/ask.ts'
export { isPineId, type PeopleList, type TradingViewClient } from './tradingview/client.ts'

export const standInHost = 'sandbox'

/** True for TradingView's own hosts: the setting must not lead into the seller's network. */
const isTradingViewHost = (host: string) => /^(www|[a-z]{2})\.tradingview\.com$/.test(host)

type Options = {
  /** False with TRADINGVIEW=off, which overrides all other settings. */
  isAllowed: boolean
  /** False with test payments or test keys, which must not unlock anyone at the real TradingView. */
  isSelling: boolean
  tradingViewStandIn:
    | { address: string; scripts: Record<string, string>; controls: { cookies(): Promise<string> } }
    | undefined
}

export type TradingViewGateway = ReturnType<typeof createTradingViewGateway>

export function createTradingViewGateway({ isAllowed, isSelling, tradingViewStandIn }: Options) {
  const calls = new Counter({
    name: 'shop_tradingview_calls_total',
    help: 'Calls to TradingView, by outcome.',
    labelNames: ['call', 'outcome'],
    registers: [],
  })
  const addressOf = (host: string): string | undefined => {
    if (host === standInHost) return tradingViewStandIn?.address
    return isTradingViewHost(host) ? `https://${host}` : undefined
  }

  const mayWrite = (host: string) => isSelling || host === standInHost

  return {
    isAllowed,
    mayWrite,
    tradingViewStandIn,
    mayConnectTo: (host: string) => addressOf(host) !== undefined,

    client(
      host: string,
      cookies: SessionCookies | undefined,
      { turn, report }: { turn(): Promise<void>; report(call: CallReport): void },
    ): TradingViewClient {
      const address = addressOf(host)
      if (!isAllowed || !address) throw new Error(`Nothing may be called at ${host}`)
      return createTradingViewClient({
        address,
        mayWrite: mayWrite(host),
        cookies,
        turn,
        report: (call) => {
          calls.inc({ call: call.call, outcome: call.outcome })
          report(call)
        },
      })
    },

    calls,
  }
}
