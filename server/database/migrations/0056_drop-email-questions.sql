-- one way
DROP TABLE "email_questions" CASCADE;