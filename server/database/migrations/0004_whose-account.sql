CREATE TABLE "email_questions" (
	"network" text NOT NULL,
	"email" text NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "email_questions_network_email_pk" PRIMARY KEY("network","email")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "handed_over_at" timestamp (3) with time zone;