CREATE TABLE "terms_texts" (
	"version" text PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"sections" jsonb NOT NULL
);
