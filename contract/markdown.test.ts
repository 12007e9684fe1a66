import { expect, test } from 'vitest'
import { parseContent, plainText } from './markdown.ts'

const source = `# Help

What people
ask.

## Access

### I paid and see no indicator

Open your [dashboard](/dashboard), then **wait**.

- one \`code\`
- two
  lines

1. first
2. second
`

test('a page has a title, a lead, sections, and questions with paragraphs and lists', () => {
  const { title, lead, sections } = parseContent(source)
  expect([title, lead]).toEqual(['Help', 'What people ask.'])
  expect(sections).toMatchObject([{ id: 'access', title: 'Access', parts: [{ id: 'i-paid-and-see-no-indicator' }] }])
  const blocks = sections[0]?.parts[0]?.blocks ?? []
  expect(blocks[0]).toEqual({
    kind: 'paragraph',
    inline: [
      { text: 'Open your ' },
      { text: 'dashboard', as: 'link', href: '/dashboard' },
      { text: ', then ' },
      { text: 'wait', as: 'bold' },
      { text: '.' },
    ],
  })
  expect(blocks.slice(1)).toMatchObject([
    { kind: 'list', isOrdered: false },
    { kind: 'list', isOrdered: true },
  ])
  expect(plainText(blocks)).toBe('Open your dashboard, then wait. one code two lines first second')
})

test('HTML and unsafe links stay plain text', () => {
  const { sections } = parseContent('# A\n\n## B\n\n<script>alert(1)</script> [x](javascript:alert(1))')
  expect(plainText(sections[0]?.blocks ?? [])).toContain('<script>alert(1)</script>')
})
