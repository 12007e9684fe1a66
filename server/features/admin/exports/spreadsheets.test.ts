import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exports } from '#contract/admin/exports.ts'
import { accessForms, users } from '#server/database/schema.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import { openShop } from '#server/testing/open-shop.ts'

/** `npm run proof -- spreadsheets`: a real LibreOffice opens our files the way an American, German, or Swiss seller would. */
const skipNote = process.env.SPREADSHEETS
  ? ''
  : ' (skipped: npm run proof -- spreadsheets, with Debian’s libreoffice-calc-nogui)'
let folder: string

/** LibreOffice's options for CSV: separators as character codes, quote, UTF-8, first line, language. */
const importOptions = {
  American: '44,34,76,1,,1033',
  German: '59,34,76,1,,1031',
  Swiss: '59,34,76,1,,2055',
  'splitting at everything': '44/59/9,34,76,1,,2055',
  'without quotes': '44/59/9,,76,1,,1033',
}

async function openInLibreOffice(csv: string, optionsName: keyof typeof importOptions) {
  const source = join(folder, 'export.csv')
  writeFileSync(source, csv)
  await promisify(execFile)('soffice', [
    `-env:UserInstallation=file://${folder}/profile`,
    '--headless',
    `--infilter=Text - txt - csv (StarCalc):${importOptions[optionsName]}`,
    '--convert-to',
    'fods',
    '--outdir',
    folder,
    source,
  ])
  const sheet = readFileSync(join(folder, 'export.fods'), 'utf8')
  return {
    formulas: [...sheet.matchAll(/table:formula="([^"]*)"/g)].map((match) => match[1]),
    cells: [...sheet.matchAll(/<text:p>/g)].length,
  }
}

const formulas = ['=1+1', '+1+1', '-1+1', '@SUM(1;1)', '＝1+1', '=HYPERLINK("http://evil.example";"Click")']
const disguises = [
  (formula: string) => formula,
  (formula: string) => `x;${formula}`,
  (formula: string) => `x;"${formula}"`,
  (formula: string) => `x; ${formula};y`,
  (formula: string) => `x\t${formula}`,
  (formula: string) => `x\n${formula}`,
  (formula: string) => `x\r\n"${formula}`,
  (formula: string) => `";${formula};"`,
  (formula: string) => `x";"${formula}`,
  (formula: string) => `\u00A0${formula}`,
]

describe.skipIf(!process.env.SPREADSHEETS)(`a spreadsheet${skipNote}`, () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'shop-spreadsheets-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test.for(Object.keys(importOptions) as (keyof typeof importOptions)[])(
    '(%s) runs a planted formula but nothing in our files',
    { timeout: 120_000 },
    async (optionsName) => {
      // Makes sure that LibreOffice recognizes formulas at all.
      const unguarded = 'a,b\n=1+1,"x;=1+1;y"\n'
      expect((await openInLibreOffice(unguarded, optionsName)).formulas.length).toBeGreaterThan(0)

      await using shop = await openShop()
      const names = formulas.flatMap((formula) => disguises.map((disguise) => disguise(formula)))
      for (const [number, name] of names.entries()) {
        const [user] = await shop.connection.db
          .insert(users)
          .values({ email: `${number}@example.com`, name, tradingViewUsername: name })
          .returning()
        const userId = user?.id ?? ''
        const { id: purchaseId } = await bookPurchase(shop.connection, userId)
        await shop.connection.db
          .insert(accessForms)
          .values({ userId, purchaseId, exchangeName: name, tradingViewUsername: name, additionalInfo: name })
      }
      const admin = await shop.admin()
      for (const kind of ['buyers', 'orders', 'forms'] as const) {
        const csv = await (await admin.send(exports.download, { kind })).text()
        const opened = await openInLibreOffice(csv, optionsName)
        expect([kind, opened.formulas]).toEqual([kind, []])
        expect(opened.cells).toBeGreaterThan(names.length)
      }
    },
  )
})
