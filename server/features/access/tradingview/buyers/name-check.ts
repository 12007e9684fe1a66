import { keyOfName, readUsername } from '#contract/tradingview-name.ts'
import { TradingViewFailure } from '#server/gateways/tradingview.ts'
import { hurry } from '../connection/pace.ts'
import type { TradingView } from '../connector.ts'

type NameAnswer = {
  found: boolean | null
  username: string | null
  similar: string[]
  refusal: string | null
}

const answerKeptFor = 10 * 60_000
const mostAnswers = 1000
const unknown: NameAnswer = { found: null, username: null, similar: [], refusal: null }

/** Whether TradingView knows a name. Before paying, and never in the way of it: silence is an answer too. */
export function createNameCheck({ now, connections }: Pick<TradingView, 'now' | 'connections'>) {
  const answers = new Map<string, { answer: NameAnswer; at: number }>()

  async function ask(username: string): Promise<NameAnswer> {
    const opened = await connections.open(hurry)
    if (!opened) return unknown
    const found = await opened.client.findName(username)
    return 'username' in found
      ? { ...unknown, found: true, username: found.username }
      : { ...unknown, found: false, similar: found.similar }
  }

  return async function checkUsername(typed: string): Promise<NameAnswer> {
    const read = readUsername(typed)
    if ('refusal' in read) return { ...unknown, refusal: read.refusal }
    const key = keyOfName(read.username)
    const kept = answers.get(key)
    if (kept && kept.at > now().getTime() - answerKeptFor) return kept.answer
    try {
      const answer = await ask(read.username)
      if (answer.found === null) return answer
      if (answers.size >= mostAnswers) answers.clear()
      answers.set(key, { answer, at: now().getTime() })
      return answer
    } catch (error) {
      if (!(error instanceof TradingViewFailure)) throw error
      return unknown
    }
  }
}
