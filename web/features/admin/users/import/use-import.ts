import { useRef, useState } from 'react'
import {
  type ImportLine,
  type ImportVerdict,
  imports,
  maxLinesPerCheck,
  maxLinesPerImport,
} from '#contract/admin/imports.ts'
import { call } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { messageOf } from '#web/api/use-call.ts'
import type { Mapping, Unmapped } from './column-mapping.ts'
import { decode } from './decode.ts'
import type { DayOrder } from './read-days.ts'
import { rememberedMapping, rememberMapping } from './remembered-columns.ts'

type Verdicts = ReadonlyMap<number, ImportVerdict>
/** `notes` tell the seller how the file was read. */
type Read = { lines: ImportLine[]; verdicts: Verdicts; notes: string[] }
export type ImportState =
  | { step: 'file'; fault?: string | undefined }
  /** Days that could be read in two ways: the seller decides once for the file. */
  | { step: 'days'; unclearDay: string; text: string; note: string | undefined; mapping: Mapping | undefined }
  | { step: 'columns'; unmapped: Unmapped; text: string; note: string | undefined }
  | (Read & { step: 'checking' | 'preview' })
  /** `remaining` are the lines still to send; `stopped` is the reason of an interruption. */
  | (Read & { step: 'running' | 'done'; remaining: ImportLine[]; stopped?: string })

/** Reads a file, checks each line on the server, and sends the good ones in pieces; continues where it was interrupted. */
export function useImport() {
  const products = useSettings().products.filter(({ state }) => state === 'on sale')
  const [state, setState] = useState<ImportState>({ step: 'file' })
  const isClosed = useRef(false)

  async function open(file: File) {
    const decoded = decode(new Uint8Array(await file.arrayBuffer()))
    if ('fault' in decoded) setState({ step: 'file', fault: decoded.fault })
    else await read(decoded)
  }

  type Opened = { text: string; note?: string | undefined; mapping?: Mapping | undefined }

  async function read({ text, note, mapping }: Opened, order?: DayOrder) {
    // Loaded with the first file: csv-parse is as large as the screen.
    const { readSubscribers } = await import('./read-subscribers.ts')
    const found = readSubscribers(text, { order, chosen: mapping, products })
    if ('fault' in found) return setState({ step: 'file', fault: found.fault })
    if ('unmapped' in found) {
      const remembered = mapping ? undefined : rememberedMapping(found.unmapped.titles)
      if (remembered) return read({ text, note, mapping: remembered }, order)
      return setState({ step: 'columns', text, note, unmapped: found.unmapped })
    }
    if ('unclearDay' in found) return setState({ step: 'days', text, note, mapping, unclearDay: found.unclearDay })
    const { lines, repeated, unused } = found
    const notes = [note ?? [], unused.length > 0 ? notUsed(unused) : []].flat()
    const verdicts = new Map<number, ImportVerdict>()
    for (const [line, message] of repeated) verdicts.set(line, { line, verdict: 'fault', message })
    const unique = lines.filter(({ line }) => !repeated.has(line))
    setState({ step: 'checking', lines, verdicts, notes })
    try {
      for (const piece of inPieces(unique, maxLinesPerCheck))
        for (const each of await call(imports.adminCheck, { lines: piece })) verdicts.set(each.line, each)
      setState({ step: 'preview', lines, verdicts, notes })
    } catch (error) {
      setState({ step: 'file', fault: messageOf(error) })
    }
  }

  /** Reads the file again with the columns that the seller chose. */
  async function choose(mapping: Mapping) {
    if (state.step !== 'columns') return
    rememberMapping(state.unmapped.titles, mapping)
    await read({ text: state.text, note: state.note, mapping })
  }

  async function run(options: { invite: boolean; hasAccess: boolean }) {
    if (state.step === 'file' || state.step === 'columns' || state.step === 'days' || state.step === 'checking') return
    const { lines, notes } = state
    const verdicts = new Map(state.verdicts)
    let remaining =
      'remaining' in state ? state.remaining : lines.filter(({ line }) => verdicts.get(line)?.verdict === 'new')
    setState({ step: 'running', lines, notes, verdicts, remaining: remaining })
    try {
      for (const piece of inPieces(remaining, maxLinesPerImport)) {
        if (isClosed.current) return
        for (const each of await call(imports.adminImport, { lines: piece, ...options })) verdicts.set(each.line, each)
        remaining = remaining.slice(piece.length)
        setState({ step: 'running', lines, notes, verdicts: new Map(verdicts), remaining: remaining })
      }
      setState({ step: 'done', lines, notes, verdicts, remaining: remaining })
    } catch (error) {
      setState({
        step: 'running',
        lines,
        notes,
        verdicts,
        remaining: remaining,
        stopped: messageOf(error) ?? 'It stopped.',
      })
    }
  }

  const leave = () => {
    isClosed.current = true
  }
  return { state, products, open, read, choose, run, leave }
}

const notUsed = (titles: string[]) => `Not imported: ${titles.map((title) => `“${title}”`).join(', ')}.`

function* inPieces<Item>(items: Item[], size: number) {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
