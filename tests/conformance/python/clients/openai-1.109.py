from openai_client import KINDS, observe
