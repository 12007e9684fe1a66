import { keyOfName, readUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import { TradingViewFailure } from '#server/gateways/tradingview.ts'
import type { Connection } from './connection.ts'

type NameAnswer = {
  found: boolean | null
  username: string | null
  similar: string[]
  refusal: string | null
}

/** At the checkout, no answer is better than a late one, and a question must never hold up an unlock. */
const longestWait = 2000
const answerKeptFor = 10 * 60_000
const mostAnswers = 1000
const unknown: NameAnswer = { found: null, username: null, similar: [], refusal: null }

/** Whether TradingView knows a name. Before paying, and never in the way of it. */
export function createNameCheck({ now }: Context, connection: Connection) {
  const answers = new Map<string, { answer: NameAnswer; at: number }>()

  async function ask(username: string): Promise<NameAnswer> {
    const opened = await connection.open(longestWait)
    if (!opened || opened.row.downSince) return unknown
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
