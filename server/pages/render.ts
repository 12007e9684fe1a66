import process from 'node:process'
import { json } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { RenderPages, SiteSettings } from '#contract/site.ts'
import { writeRendered } from './rendered.ts'

/** What the program reads from its standard input. */
export type RenderOrder = {
  /** The build's `render.js`. */
  renderer: string
  settings: SiteSettings
  folder: string
}

/**
 * A program of its own that renders every page for the given settings, writes them as files, and ends. What React and the
 * compression need of the memory is never given back by a process that serves.
 */
const { renderer, settings, folder } = (await json(process.stdin)) as RenderOrder
const { renderPages } = (await import(pathToFileURL(renderer).href)) as { renderPages: RenderPages }
await writeRendered(folder, await renderPages(settings))
