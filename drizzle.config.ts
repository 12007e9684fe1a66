import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  casing: 'snake_case',
  schema: 'server/database/schema.ts',
  // `npm run check` generates from a copy, to see that nothing is missing.
  out: process.env.MIGRATIONS ?? 'server/database/migrations',
})
