import process from 'node:process'
import { json } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { RenderData, RenderPages } from '#contract/site/site-settings.ts'
import { writeRendered } from './rendered.ts'

export type RenderOrder = { renderer: string; data: RenderData; folder: string }

/** Runs as its own process: a serving process would never free the memory that React and compression need. */
const { renderer, data, folder } = (await json(process.stdin)) as RenderOrder
const { renderPages } = (await import(pathToFileURL(renderer).href)) as { renderPages: RenderPages }
await writeRendered(folder, await renderPages(data))
