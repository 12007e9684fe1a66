CREATE TABLE "reviews" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"product_id" uuid NOT NULL,
	"invited_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stars" integer,
	"text" text,
	"author" text,
	"written_at" timestamp (3) with time zone,
	"answer" text,
	"answered_at" timestamp (3) with time zone,
	"report" text,
	"reported_at" timestamp (3) with time zone,
	"hidden_because" text,
	CONSTRAINT "reviews_stars" CHECK ("reviews"."stars" between 1 and 5)
);
--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "reviews_one_each" ON "reviews" USING btree ("user_id","product_id");--> statement-breakpoint
CREATE INDEX "reviews_newest" ON "reviews" USING btree ("written_at","id") WHERE "reviews"."written_at" is not null;