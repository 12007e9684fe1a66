import { describe, expect, test } from 'vitest'
import { checkForLargeShops, compareHashes } from './migrations.ts'

const released = { '0000_init.sql': 'a', '0001_more.sql': 'b' }

test('migrations that shops have run are left alone', () => {
  expect(compareHashes(released, released)).toEqual([])
})

test('a migration that was changed, removed or not generated is refused', () => {
  expect(compareHashes({ ...released, '0000_init.sql': 'x' }, released)).toEqual([
    '0000_init.sql has changed, but shops have run it: add a new migration instead',
  ])
  expect(compareHashes({ '0000_init.sql': 'a' }, released)).toEqual(['0001_more.sql is gone, but shops have run it'])
  expect(compareHashes({ ...released, '0002_by_hand.sql': 'c' }, released)).toHaveLength(1)
})

describe('a migration in a large shop', () => {
  const complaintsAbout = (...statements: string[]) =>
    checkForLargeShops([
      { tag: '0000_init', hash: '', when: 0, statements: ['CREATE INDEX "a" ON "users" ("id");'] },
      { tag: '0001_more', hash: '', when: 1, statements },
    ])

  test('may add tables, columns and indexes built concurrently', () => {
    expect(
      complaintsAbout(
        'CREATE TABLE "notes" ("id" uuid NOT NULL);',
        'CREATE INDEX "notes_id" ON "notes" USING btree ("id");',
        'ALTER TABLE "notes" ADD CONSTRAINT "notes_user" FOREIGN KEY ("id") REFERENCES "public"."users"("id");',
        'ALTER TABLE "users" ADD COLUMN "note" text;',
        'ALTER TABLE "users" ADD COLUMN "times" integer DEFAULT 0 NOT NULL;',
      ),
    ).toEqual([])
    expect(complaintsAbout('CREATE INDEX CONCURRENTLY "b" ON "users" ("name");')).toEqual([])
  })

  test.each([
    'CREATE INDEX "b" ON "users" ("name");',
    'CREATE UNIQUE INDEX "b" ON "users" ("name");',
    'ALTER TABLE "users" ADD COLUMN "note" text NOT NULL;',
    'ALTER TABLE "users" ALTER COLUMN "note" SET NOT NULL;',
    'ALTER TABLE "users" ALTER COLUMN "note" SET DATA TYPE integer;',
    'ALTER TABLE "users" ADD CONSTRAINT "positive" CHECK ("users"."times" > 0);',
    'ALTER TABLE "users" RENAME COLUMN "note" TO "remark";',
    'ALTER TABLE "users" DROP COLUMN "note";',
    'DROP TABLE "users";',
  ])('may not: %s', (statement) => {
    expect(complaintsAbout(statement)).toHaveLength(1)
  })

  test('does not mix slow work with what needs a transaction', () => {
    const mixed = ['ALTER TABLE "users" ADD COLUMN "note" text;', 'CREATE INDEX CONCURRENTLY "b" ON "users" ("note");']
    expect(complaintsAbout(...mixed)).toHaveLength(1)
  })
})
