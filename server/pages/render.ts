import process from 'node:process'
import { json } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { RenderPages, Shown } from '#contract/site/site-settings.ts'
import { writeRendered } from './rendered.ts'

/** What the program reads from standard input. */
export type RenderOrder = { renderer: string; shown: Shown; folder: string }

/** A program of its own: a serving process would never give back the memory that React and the compression need. */
const { renderer, shown, folder } = (await json(process.stdin)) as RenderOrder
const { renderPages } = (await import(pathToFileURL(renderer).href)) as { renderPages: RenderPages }
await writeRendered(folder, await renderPages(shown))
