import { expect, test } from 'vitest'
import { checkGlossary, readGlossary } from './glossary.ts'

const glossary = `# Glossary

| say | means | not |
|---|---|---|
| refund | money returns to the card | pay back |
| order | a buyer's intent to buy | basket |
| live | gives access | |
| \`RefundInput\` | input of a function | \`Given\` |

| stored | where | means |
|---|---|---|
| tv_ | tables | TradingView |`

const refused = readGlossary(glossary)

test('the last column holds the refused words', () => {
  expect(refused).toEqual([
    { word: 'pay back', instead: 'refund' },
    { word: 'basket', instead: 'order' },
    { word: '`Given`', instead: '`RefundInput`' },
  ])
})

test('refused words are found in names, comments and documents, and not in texts', () => {
  const source =
    "/** Pay back the rest. */\nconst payBackRest = 'We pay back'\nconst items = 1 // A basketball.\ntype Given = 1"
  const document = 'Each basket has items. `basket` and "pay back" are quoted. First pay, back to it later.'
  expect(checkGlossary(new Map([['server/a.ts', source]]), new Map([['docs/a.md', document]]), refused)).toEqual([
    expect.stringContaining('server/a.ts says "pay back" in "* Pay back the rest."'),
    'server/a.ts says "pay back" in "payBackRest": say refund',
    'server/a.ts has a type `Given`: name it after its content, such as `RefundInput`',
    expect.stringContaining('docs/a.md says "basket"'),
  ])
})
