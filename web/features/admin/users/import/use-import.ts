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
/** File that has been read; `notes` tell the seller how. */
type ReadFile = { lines: ImportLine[]; verdicts: Verdicts; notes: string[] }
export type ImportState =
  | { step: 'file'; fault?: string | undefined }
  /** The order of day and month is unclear; the seller decides once for the file. */
  | { step: 'days'; unclearDay: string; text: string; note: string | undefined; mapping: Mapping | undefined }
  | { step: 'columns'; unmapped: Unmapped; text: string; note: string | undefined }
  | (ReadFile & { step: 'checking' | 'preview' })
  /** `remaining` are the lines still to send; `stopped` is the reason of an interruption. */
  | (ReadFile & { step: 'running' | 'done'; remaining: ImportLine[]; stopped?: string })

/** Checks each line on the server and imports the valid ones in batches; continues after an interruption. */
export function useImport() {
  const products = useSettings().products.filter(({ state }) => state === 'on sale')
  const [state, setState] = useState<ImportState>({ step: 'file' })
  const isClosed = useRef(false)

  async function open(file: File) {
    const decoded = decode(new Uint8Array(await file.arrayBuffer()))
    if ('fault' in decoded) setState({ step: 'file', fault: decoded.fault })
    else await read(decoded)
  }

  type DecodedFile = { text: string; note?: string | undefined; mapping?: Mapping | undefined }

  async function read({ text, note, mapping }: DecodedFile, order?: DayOrder) {
    // Loaded with the first file, because csv-parse is as large as the code of the whole screen.
    const { readSubscribers } = await import('./read-subscribers.ts')
    const result = readSubscribers(text, { order, chosenMapping: mapping, products })
    if ('fault' in result) return setState({ step: 'file', fault: result.fault })
    if ('unmapped' in result) {
      // Columns that the seller chose for an earlier file with the same titles.
      const earlierMapping = mapping ? undefined : rememberedMapping(result.unmapped.titles)
      if (earlierMapping) return read({ text, note, mapping: earlierMapping }, order)
      return setState({ step: 'columns', text, note, unmapped: result.unmapped })
    }
    if ('unclearDay' in result) return setState({ step: 'days', text, note, mapping, unclearDay: result.unclearDay })
    const { lines, repeated, unused } = result
    const notes = note ? [note] : []
    if (unused.length > 0) notes.push(unusedColumnsNote(unused))
    await checkLines(lines, repeated, notes)
  }

  async function checkLines(lines: ImportLine[], repeated: ReadonlyMap<number, string>, notes: string[]) {
    const verdicts = new Map<number, ImportVerdict>()
    for (const [line, message] of repeated) verdicts.set(line, { line, verdict: 'fault', message })
    const linesToCheck = lines.filter(({ line }) => !repeated.has(line))
    setState({ step: 'checking', lines, verdicts, notes })
    try {
      for (const batch of inBatches(linesToCheck, maxLinesPerCheck)) {
        const results = await call(imports.adminCheck, { lines: batch })
        for (const verdict of results) verdicts.set(verdict.line, verdict)
      }
      setState({ step: 'preview', lines, verdicts, notes })
    } catch (error) {
      setState({ step: 'file', fault: messageOf(error) })
    }
  }

  async function chooseColumns(mapping: Mapping) {
    if (state.step !== 'columns') return
    rememberMapping(state.unmapped.titles, mapping)
    await read({ text: state.text, note: state.note, mapping })
  }

  async function importLines(options: { invite: boolean; hasAccess: boolean }) {
    if (state.step !== 'preview' && state.step !== 'running' && state.step !== 'done') return
    const { lines, notes } = state
    const verdicts = new Map(state.verdicts)
    const newLines = lines.filter(({ line }) => verdicts.get(line)?.verdict === 'new')
    // After an interruption, only the lines that were not sent yet.
    let remaining = 'remaining' in state ? state.remaining : newLines
    setState({ step: 'running', lines, notes, verdicts, remaining })
    try {
      for (const batch of inBatches(remaining, maxLinesPerImport)) {
        if (isClosed.current) return
        const results = await call(imports.adminImport, { lines: batch, ...options })
        for (const verdict of results) verdicts.set(verdict.line, verdict)
        remaining = remaining.slice(batch.length)
        setState({ step: 'running', lines, notes, verdicts: new Map(verdicts), remaining })
      }
      setState({ step: 'done', lines, notes, verdicts, remaining })
    } catch (error) {
      setState({ step: 'running', lines, notes, verdicts, remaining, stopped: messageOf(error) ?? 'It stopped.' })
    }
  }

  const stop = () => {
    isClosed.current = true
  }
  /** Shows a fault if the file or the code that reads it cannot be loaded. */
  const withFault =
    <Args extends unknown[]>(action: (...args: Args) => Promise<unknown>) =>
    async (...args: Args) => {
      try {
        await action(...args)
      } catch {
        setState({ step: 'file', fault: 'We couldn’t read this file. Please try again.' })
      }
    }
  return {
    state,
    products,
    open: withFault(open),
    read: withFault(read),
    chooseColumns: withFault(chooseColumns),
    importLines,
    stop,
  }
}

const unusedColumnsNote = (titles: string[]) => `Not imported: ${titles.map((title) => `“${title}”`).join(', ')}.`

function* inBatches<Item>(items: Item[], size: number) {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
