import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'

/** Runs a plain pg_dump file in an empty database. */
export async function loadDump(url: string, file: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const { copy, text } of partsOf(gunzipSync(readFileSync(file)).toString())) {
      if (copy) await pipeline(Readable.from([text]), client.query(copyFrom(copy)))
      else await client.query(text)
    }
  } finally {
    await client.end()
  }
}

/** Statements, and between them each table's rows with the `COPY` that takes them. */
function* partsOf(dump: string): Generator<{ copy?: string; text: string }> {
  const pattern = /^(COPY .+ FROM stdin);\n([^]*?)^\\\.$/gm
  let end = 0
  for (const match of dump.matchAll(pattern)) {
    yield { text: withoutCommands(dump.slice(end, match.index)) }
    yield { copy: match[1] ?? '', text: match[2] ?? '' }
    end = match.index + match[0].length
  }
  yield { text: withoutCommands(dump.slice(end)) }
}

/** `\restrict` and the like are for psql. */
const withoutCommands = (text: string) => text.replaceAll(/^\\.*$/gm, '')
