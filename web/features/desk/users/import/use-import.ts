import { useRef, useState } from 'react'
import {
  type ImportLine,
  type ImportVerdict,
  imports,
  mostChecked,
  mostImported,
} from '#contract/desk/imports.ts'
import { call } from '#web/api/client.ts'
import { messageOf } from '#web/api/use-call.ts'
import { readSubscribers } from './read-subscribers.ts'

type Verdicts = ReadonlyMap<number, ImportVerdict>
type Read = { lines: ImportLine[]; verdicts: Verdicts }
export type ImportState =
  | { step: 'file'; fault?: string | undefined }
  | (Read & { step: 'checking' | 'preview' })
  /** What is done is done; `stopped` says why the rest is not, and it can follow. */
  | (Read & { step: 'running' | 'done'; left: ImportLine[]; stopped?: string })

/** Reads a file, asks the server about each line, and sends the good ones in pieces. If it stops, it goes on from there. */
export function useImport() {
  const [state, setState] = useState<ImportState>({ step: 'file' })
  const isClosed = useRef(false)

  async function open(file: File) {
    const { lines, repeated, fault } = readSubscribers(await file.text())
    if (fault) {
      setState({ step: 'file', fault })
      return
    }
    const verdicts = new Map<number, ImportVerdict>()
    for (const [line, earlier] of repeated)
      verdicts.set(line, { line, verdict: 'fault', message: `The same email as in line ${earlier}` })
    const others = lines.filter(({ line }) => !repeated.has(line))
    setState({ step: 'checking', lines, verdicts })
    try {
      for (const piece of inPieces(others, mostChecked))
        for (const each of await call(imports.adminCheck, { lines: piece })) verdicts.set(each.line, each)
      setState({ step: 'preview', lines, verdicts })
    } catch (error) {
      setState({ step: 'file', fault: messageOf(error) })
    }
  }

  async function run(options: { invite: boolean; hasAccess: boolean }) {
    if (state.step === 'file' || state.step === 'checking') return
    const { lines } = state
    const verdicts = new Map(state.verdicts)
    let left =
      'left' in state ? state.left : lines.filter(({ line }) => verdicts.get(line)?.verdict === 'new')
    setState({ step: 'running', lines, verdicts, left })
    try {
      for (const piece of inPieces(left, mostImported)) {
        if (isClosed.current) return
        for (const each of await call(imports.adminImport, { lines: piece, ...options }))
          verdicts.set(each.line, each)
        left = left.slice(piece.length)
        setState({ step: 'running', lines, verdicts: new Map(verdicts), left })
      }
      setState({ step: 'done', lines, verdicts, left })
    } catch (error) {
      setState({ step: 'running', lines, verdicts, left, stopped: messageOf(error) ?? 'It stopped.' })
    }
  }

  const leave = () => {
    isClosed.current = true
  }
  return { state, open, run, leave }
}

function* inPieces<Item>(items: Item[], size: number) {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
